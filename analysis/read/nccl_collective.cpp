#include "analysis/read/nccl_collective.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/text/spelling.hpp"

namespace ringmark::analysis {
namespace {

/// False if the rows are not of that collective: they have an operator where it has none, or a root.
bool nccl_may_be(const NcclLaunch& launch, Collective collective) {
  const auto& row = launch.rows.front();
  // sendrecv_perf prints the operator of -o, though it reduces nothing.
  const bool may_have_operator = reduces(collective) || collective == Collective::send_recv;
  if (row.redop == "none" ? reduces(collective) : !row.redop.empty() && !may_have_operator) return false;
  return row.root.empty() || is_rooted(collective) == (row.root != "-1");
}

/// True if busbw equals algbw, as when every byte travels once.
bool has_factor_one(const NcclLaunch& launch) {
  constexpr double last_digits = 0.011;
  bool has_rates = false;
  for (const auto& row : launch.rows) {
    const auto algbw = number_in<double>(row.algbw), busbw = number_in<double>(row.busbw);
    if (!algbw || !busbw || std::abs(*algbw - *busbw) > last_digits) return false;
    has_rates = has_rates || *algbw > 1;
  }
  return has_rates;
}

/// busbw / algbw distinguishes an all_reduce from collectives that move half as much. Several of those share one ratio.
std::optional<Collective> by_factor(const NcclLaunch& launch, const std::optional<int>& asked) {
  const auto& row = launch.rows.front();
  if (row.redop.empty() || row.redop == "none") return std::nullopt;
  const auto stated = evidence_of(launch, std::nullopt).stated();
  // A reduce has the same ratio as an all_reduce of 2 ranks.
  if (row.root.empty() && evidence_of(launch, Collective::all_reduce).may_be(2)) return std::nullopt;
  std::vector<std::pair<Collective, RankEvidence>> found;
  for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter}) {
    auto evidence = evidence_of(launch, collective);
    if (nccl_may_be(launch, collective) && evidence.fits_any() && (!stated || evidence.may_be(*stated)))
      found.emplace_back(collective, std::move(evidence));
  }
  if (found.empty() && stated.value_or(0) > 2 && nccl_may_be(launch, Collective::send_recv) && has_factor_one(launch))
    return Collective::send_recv;
  if (found.size() > 1 && asked) std::erase_if(found, [&](const auto& each) { return !each.second.may_be(*asked); });
  return found.size() == 1 ? std::optional(found.front().first) : std::nullopt;
}

/// The reason why the rows are not of the collective in the file's name; empty if they may be.
std::string why_not_named(const NcclLaunch& launch, Collective collective, const std::optional<int>& asked) {
  const auto& row = launch.rows.front();
  if (!nccl_may_be(launch, collective)) {
    return is_rooted(collective) == (row.root != "-1") || row.root.empty()
               ? fmt::format("its rows have the operator '{}'", row.redop)
               : fmt::format("its rows have {}", row.root == "-1" ? "no root" : "a root");
  }
  const auto evidence = evidence_of(launch, collective);
  const auto stated = evidence.stated();
  const bool has_bounds = bus_factor(collective, 2) != bus_factor(collective, 3);
  const bool fits_ranks = !stated || evidence.may_be(*stated) || (asked && evidence.may_be(*asked));
  if (!has_bounds || (evidence.fits_any() && fits_ranks)) return "";
  const auto of_ranks = stated ? fmt::format("{} on the {} ranks that the file states has {:.3g}", name(collective),
                                             *stated, bus_factor(collective, *stated))
                               : fmt::format("{} does not have this ratio on any number of ranks", name(collective));
  const auto with_rates = std::find_if(launch.rows.begin(), launch.rows.end(), [](const NcclFigures& each) {
    return number_in<double>(each.algbw).value_or(0) > 0 && number_in<double>(each.busbw);
  });
  const auto ratio = with_rates == launch.rows.end()
                         ? 0
                         : *number_in<double>(with_rates->busbw) / *number_in<double>(with_rates->algbw);
  return fmt::format("busbw / algbw is {:.3g}, but {}", ratio, of_ranks);
}

/// True if that collective is the only one in the file's name. "gather", "reduce" and the like are words of other names
/// too.
bool is_unmistakable(const std::string& file_name, Collective collective) {
  const auto letters = letters_of(file_name);
  int names = 0;
  bool is_named = false;
  for (const auto each : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                          Collective::all_to_all, Collective::send_recv}) {
    if (letters.find(letters_of(name(each))) == std::string::npos) continue;
    ++names;
    is_named = is_named || each == collective;
  }
  return names == 1 && is_named;
}

}  // namespace

std::optional<int> listed_ranks(const NcclLaunch& launch) {
  std::set<int> numbers;
  std::map<int, int> of_group;
  for (const auto& rank : launch.ranks) {
    if (!numbers.insert(rank.number).second) return std::nullopt;
    ++of_group[rank.group];
  }
  if (numbers.empty() || launch.is_list_cut) return std::nullopt;
  const int all = static_cast<int>(numbers.size());
  if (*numbers.begin() != 0 || *numbers.rbegin() != all - 1) return std::nullopt;
  if (launch.ranks_of_process > 0 && all % launch.ranks_of_process != 0) return std::nullopt;
  const int each = of_group.begin()->second;
  const bool is_even =
      std::all_of(of_group.begin(), of_group.end(), [&](const auto& group) { return group.second == each; });
  return is_even ? std::optional(each) : std::nullopt;
}

bool is_split(const NcclLaunch& launch) {
  return std::any_of(launch.ranks.begin(), launch.ranks.end(),
                     [&](const auto& each) { return each.group != launch.ranks.front().group; });
}

RankEvidence evidence_of(const NcclLaunch& launch, std::optional<Collective> collective) {
  RankEvidence evidence;
  if (const auto listed = listed_ranks(launch)) evidence.state(*listed, "its list of ranks");
  for (const int ranks : launch.in_nccl_log) evidence.state(ranks, "NCCL's log");
  if (!is_split(launch)) {
    for (const auto& rank : launch.ranks) evidence.see_rank(rank.number);
  }
  if (!collective) return evidence;
  for (const auto& row : launch.rows) evidence.bound(*collective, row.algbw, row.busbw);
  return evidence;
}

NcclCollective collective_of(const ForeignRows& rows, const NcclLaunch& launch) {
  if (!launch.program.empty()) {
    const auto program = nccl_program(launch.program);
    const auto collective = collective_called(program.value_or(launch.program));
    if (collective) return {collective, "", ""};
    return {std::nullopt, "", fmt::format("'{}' is not a known collective", launch.program.substr(0, 40))};
  }
  const auto taken = [&](Collective collective, const std::string& how) {
    return NcclCollective{collective, fmt::format("assumed to be {}, from {}", name(collective), how), ""};
  };
  if (launch.commands.size() == 1) {
    const auto& command = *launch.commands.begin();
    const auto collective = collective_called(command);
    if (!collective)
      return {std::nullopt, "", fmt::format("'{}_perf' is not a known collective", command.substr(0, 40))};
    if (nccl_may_be(launch, *collective)) return taken(*collective, "the command above it");
  }
  const std::filesystem::path path(rows.file());
  auto named = collective_in(path.filename().string());
  if (!named) named = collective_in(path.parent_path().string());
  const auto why_not = named ? why_not_named(launch, *named, rows.options().ranks) : "";
  if (named && why_not.empty()) return taken(*named, "the file's name");
  if (named && is_unmistakable(path.filename().string(), *named)) {
    return {std::nullopt, "",
            fmt::format("the file's name contains {}, but {}; name the file after the program that wrote it",
                        name(*named), why_not)};
  }
  if (const auto collective = by_factor(launch, rows.options().ranks)) return taken(*collective, "busbw / algbw");
  return {std::nullopt, "", "it does not say which collective it measured; name the file after the collective"};
}

}  // namespace ringmark::analysis
