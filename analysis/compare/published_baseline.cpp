#include "analysis/compare/published_baseline.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "results/files/published_results.hpp"

namespace ringmark::analysis {
namespace {

/// "all_reduce over 16 ranks"
std::string operation_over(std::string_view collective, std::string_view ranks) {
  return fmt::format("{} over {} ranks", collective, ranks);
}

std::string operation_over(const Record& record) {
  return operation_over(name(record.collective.only().value()), std::to_string(record.ranks));
}

/// "all_reduce over 16 ranks of 1M or 16M", of these operations; of others where none is published.
std::string what_there_is(const std::map<std::string, std::set<std::uint64_t>>& published,
                          const std::set<std::string>& measured) {
  std::vector<std::string> words, others;
  for (const auto& [operation, sizes] : published) {
    others.push_back(operation);
    if (!measured.contains(operation)) continue;
    std::vector<std::string> texts;
    for (const auto size : sizes) texts.push_back(format_size(size));
    words.push_back(fmt::format("{} of {}", operation, fmt::join(texts, " or ")));
  }
  return fmt::format("{}", fmt::join(words.empty() ? others : words, ", or "));
}

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
                           .text = "published results are of operations back to back and out of place; none of "
                                   "these rows is",
                           .remedy = "measure with --timing batch"});
  std::set<std::string> measured, sizes, sources;
  std::map<std::string, std::set<std::uint64_t>> published;  // sizes by operation
  for (std::size_t row = 0; row < table.rows(); ++row) {
    measured.insert(operation_over(table.cell(row, "collective"), table.cell(row, "ranks")));
    sizes.insert(table.cell(row, "size_bytes"));
  }
  AddedBaseline added{"published " + asked, ""};
  table.set_side("");
  std::size_t line = 0;
  for (const auto& each : results) {
    const auto& record = each.record;
    const auto operation = operation_over(record);
    published[operation].insert(record.size_bytes);
    if (!measured.contains(operation) || !sizes.contains(std::to_string(record.size_bytes))) continue;
    // RCCL's tests name no memory that is Ringmark's own.
    const std::map<std::string, std::string> words{{"memory", "rocm"}};
    table.add(record, added.file, ++line, record.memory ? std::map<std::string, std::string>{} : words);
    sources.insert(fmt::format("{}: {}", operation, origin_in_words(each)));
  }
  table.finish_file();
  if (sources.empty())
    throw BadUsage(Problem{.flag = "--published",
                           .value = asked,
                           .text = fmt::format("has no {} at these sizes", fmt::join(measured, ", ")),
                           .remedy = "measure " + what_there_is(published, measured)});
  added.note = fmt::format("baseline: the median of what is published of {}\n  {}", asked, fmt::join(sources, "\n  "));
  if (others > 0)
    added.note += fmt::format("\nleft out: {} in place or not back to back, unlike the published ones",
                              with_count(others, "row"));
  return added;
}

}  // namespace ringmark::analysis
