#include "analysis/read/nccl_contradictions.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "results/schema/printed_number.hpp"

namespace ringmark::analysis {
namespace {

using Case = std::tuple<std::uint64_t, std::string, std::string, std::string>;

bool lists_a_rank_twice(const NcclLaunch& launch) {
  std::set<int> numbers;
  return std::any_of(launch.ranks.begin(), launch.ranks.end(),
                     [&](const auto& each) { return !numbers.insert(each.number).second; });
}

/// Size, type, operator and root of each row of the first placement, in order. Several small sizes may be rounded down
/// to none, so rows without a size do not count.
std::vector<Case> cases_of(const NcclLaunch& launch) {
  std::vector<Case> cases;
  for (const auto& row : launch.rows) {
    if (row.size_bytes > 0 && row.is_in_place == launch.rows.front().is_in_place)
      cases.emplace_back(row.size_bytes, row.type, row.redop, row.root);
  }
  return cases;
}

/// True if the cases repeat the same series; the last one may be incomplete.
bool is_periodic(const std::vector<Case>& cases) {
  const auto period = std::set<Case>(cases.begin(), cases.end()).size();
  return std::equal(cases.begin() + static_cast<std::ptrdiff_t>(period), cases.end(), cases.begin());
}

bool is_repeated(const std::vector<Case>& cases) {
  return std::set<Case>(cases.begin(), cases.end()).size() < cases.size();
}

}  // namespace

std::string why_mixed(const NcclLaunch& launch) {
  if (lists_a_rank_twice(launch)) return "it lists a rank twice";
  if (launch.headers == 0 || launch.rows.empty()) return "";
  const auto cases = cases_of(launch);
  if (!is_repeated(cases)) return "";
  if (launch.headers > 1) return "it has several headers";
  return is_periodic(cases) ? "" : "its sizes repeat before the series ends";
}

std::string contradiction_in(const NcclFigures& figures, Collective collective, int ranks) {
  const auto time = printed_number(figures.time), algbw = printed_number(figures.algbw);
  if (time && algbw && !may_belong(static_cast<double>(figures.size_bytes), *time * figures.us_of_time, *algbw))
    return fmt::format("its time of {} and its bandwidth of {} GB/s contradict each other", figures.time,
                       figures.algbw);
  const auto type = parse_datatype(figures.type);
  if (!type) return "";
  const auto of_count = figures.count * size_bytes(*type);
  const bool may_be_blocks = has_block_per_rank(collective);
  if (figures.size_bytes == of_count ||
      (may_be_blocks && figures.size_bytes == of_count * static_cast<std::uint64_t>(ranks)))
    return "";
  return fmt::format("its size and its count of {} {} contradict each other", figures.count, figures.type);
}

}  // namespace ringmark::analysis
