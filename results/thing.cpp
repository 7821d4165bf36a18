#include "results/thing.hpp"

#include <fmt/format.h>

#include "results/cells.hpp"

namespace ringmark {

std::string in_words(const Thing& thing) {
  auto text = fmt::format("{} {}", thing.collective, thing.datatype);
  if (!thing.op.empty()) text += fmt::format(" {}", thing.op);
  if (thing.is_link) return fmt::format("{} {}->{}", text, thing.source, thing.destination);
  if (thing.is_in_place) text += " in place";
  if (thing.is_batch) text += ", batch";
  text += fmt::format(", {} ranks", thing.ranks);
  if (thing.nodes == 0 || thing.nodes == thing.ranks) return text;
  return fmt::format("{} on {} node{}", text, thing.nodes, thing.nodes == 1 ? "" : "s");
}

std::string thing_of(const Record& row) {
  const auto collective = to_cell(row.collective), datatype = to_cell(row.datatype), op = to_cell(row.op);
  const auto source = row.link ? to_cell(row.link->source) : "";
  const auto destination = row.link ? to_cell(row.link->destination) : "";
  return in_words(Thing{.collective = collective,
                        .datatype = datatype,
                        .op = op,
                        .is_link = row.schema == Schema::link,
                        .source = source,
                        .destination = destination,
                        .is_in_place = row.in_place == 1,
                        .is_batch = row.timing == Timing::batch,
                        .ranks = row.ranks,
                        .nodes = row.nodes});
}

}  // namespace ringmark
