#include "analysis/compare/published_baseline.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/text/with_count.hpp"
#include "results/files/published_results.hpp"

namespace ringmark::analysis {
namespace {

/// Drops the rows that cannot be compared with published ones, and returns their number.
std::size_t keep_alike(Table& table) {
  const auto& timing = table.text("timing");
  std::vector<std::size_t> alike;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (timing[row] == name(Timing::batch) && table.cell(row, "in_place") == "0") alike.push_back(row);
  }
  const auto others = table.rows() - alike.size();
  table.keep(alike);
  return others;
}

}  // namespace

AddedBaseline add_published(Table& table, const std::string& asked) {
  const auto results = published_results(asked, "--published");
  const auto others = keep_alike(table);
  if (table.rows() == 0)
    throw BadUsage(Problem{.flag = "--published",
                           .text = "published results are back-to-back and out-of-place; no row here is both",
                           .remedy = "measure with --timing batch"});
  std::set<std::string> measured, sizes, sources;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    measured.insert(operation_in_words(table.cell(row, "collective"), table.cell(row, "ranks")));
    sizes.insert(table.cell(row, "size_bytes"));
  }
  std::vector<PublishedResult> same_operation;
  AddedBaseline added{"published " + asked, ""};
  // The same word as in rows read from the output of rccl-tests.
  const std::map<std::string, std::string> nothing, words_of_rccl{{"memory", "rocm"}};
  table.set_side("");
  std::size_t line = 0;
  for (const auto& each : results) {
    if (!measured.contains(operation_in_words(each))) continue;
    same_operation.push_back(each);
    if (!sizes.contains(std::to_string(each.record.size_bytes))) continue;
    table.add(each.record, added.file, ++line, each.record.memory ? nothing : words_of_rccl);
    sources.insert(fmt::format("{}: {}", operation_in_words(each), origin_in_words(each)));
  }
  table.finish_file();
  if (sources.empty())
    throw BadUsage(
        Problem{.flag = "--published",
                .value = asked,
                .text = fmt::format("has no {} at these sizes", fmt::join(measured, ", ")),
                .remedy = "measure one of " + cases_in_words(same_operation.empty() ? results : same_operation)});
  added.note = fmt::format("baseline: median of the published results of {}\n  {}", asked, fmt::join(sources, "\n  "));
  if (others > 0)
    added.note += fmt::format("\nleft out: {} measured in place or not back to back, unlike the published results",
                              with_count(others, "row"));
  return added;
}

}  // namespace ringmark::analysis
