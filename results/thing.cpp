#include "results/thing.hpp"

#include <fmt/format.h>

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
  const auto extra = [&](const char* name) {
    const auto found = row.extra.find(name);
    return found == row.extra.end() ? std::string_view() : std::string_view(found->second);
  };
  return in_words(Thing{.collective = row.collective,
                        .datatype = row.datatype,
                        .op = row.op,
                        .is_link = row.schema == link_schema,
                        .source = extra("src"),
                        .destination = extra("dst"),
                        .is_in_place = row.in_place == 1,
                        .is_batch = row.timing == "batch",
                        .ranks = row.ranks,
                        .nodes = row.nodes});
}

}  // namespace ringmark
