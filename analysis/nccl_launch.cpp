#include "analysis/nccl_launch.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "analysis/rank_evidence.hpp"

namespace ringmark::analysis {
namespace {

/// The number of ranks that the list has; nothing if ranks are missing in it.
std::optional<int> listed_ranks(const NcclLaunch& launch) {
  std::set<int> numbers;
  std::map<int, int> of_group;
  for (const auto& [rank, group] : launch.ranks) {
    if (!numbers.insert(rank).second) return std::nullopt;
    ++of_group[group];
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

/// Each rank alone prints its number several times where launches are mixed.
bool lists_a_rank_twice(const NcclLaunch& launch) {
  std::set<int> numbers;
  return std::any_of(launch.ranks.begin(), launch.ranks.end(),
                     [&](const auto& each) { return !numbers.insert(each.first).second; });
}

/// True where NCCL_TESTS_SPLIT made groups of the ranks, each with a collective of its own.
bool is_split(const NcclLaunch& launch) {
  return std::any_of(launch.ranks.begin(), launch.ranks.end(),
                     [&](const auto& each) { return each.second != launch.ranks.front().second; });
}

RankEvidence evidence_of(const NcclLaunch& launch, std::optional<Collective> collective) {
  RankEvidence evidence;
  if (const auto listed = listed_ranks(launch)) evidence.state(*listed, "its list of ranks");
  for (const int ranks : launch.in_nccl_log) evidence.state(ranks, "NCCL's log");
  if (!is_split(launch)) {
    for (const auto& [rank, group] : launch.ranks) evidence.see_rank(rank);
  }
  if (!collective) return evidence;
  for (const auto& row : launch.rows) evidence.bound(*collective, row.algbw, row.busbw);
  return evidence;
}

/// False if the rows are not of that collective: they have an operator where it has none, or a root.
bool nccl_may_be(const NcclLaunch& launch, Collective collective) {
  const auto& row = launch.rows.front();
  if (!row.redop.empty() && reduces(collective) != (row.redop != "none")) return false;
  return row.root.empty() || is_rooted(collective) == (row.root != "-1");
}

/// busbw / algbw tells an all_reduce from collectives that move half as much. Several of those share one ratio.
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
  if (found.size() > 1 && asked) std::erase_if(found, [&](const auto& each) { return !each.second.may_be(*asked); });
  return found.size() == 1 ? std::optional(found.front().first) : std::nullopt;
}

struct NcclCollective {
  std::optional<Collective> collective;
  std::string note, refusal;
};

NcclCollective collective_of(const ForeignRows& rows, const NcclLaunch& launch) {
  if (!launch.program.empty()) {
    const auto program = nccl_program(launch.program);
    const auto collective = collective_called(program.value_or(launch.program));
    if (collective) return {collective, "", ""};
    return {std::nullopt, "", fmt::format("'{}' is no collective that is known here", launch.program.substr(0, 40))};
  }
  const auto taken = [&](Collective collective, const std::string& how) {
    return NcclCollective{collective, fmt::format("taken for {}, by {}", name(collective), how), ""};
  };
  if (launch.commands.size() == 1) {
    const auto& command = *launch.commands.begin();
    const auto collective = collective_called(command);
    if (!collective)
      return {std::nullopt, "", fmt::format("'{}_perf' is no collective that is known here", command.substr(0, 40))};
    if (nccl_may_be(launch, *collective)) return taken(*collective, "the command above it");
  }
  const std::filesystem::path path(rows.file());
  auto named = collective_in(path.filename().string());
  if (!named) named = collective_in(path.parent_path().string());
  if (named && nccl_may_be(launch, *named)) {
    const auto evidence = evidence_of(launch, *named);
    const auto stated = evidence.stated();
    if (evidence.fits_any() && (!stated || evidence.may_be(*stated))) return taken(*named, "the file's name");
  }
  if (const auto collective = by_factor(launch, rows.options().ranks)) return taken(*collective, "busbw / algbw");
  return {std::nullopt, "", "it does not say which collective it measured; name the file after it"};
}

/// "0", "1.2e+06", or "N/A" where nothing was checked.
void set_wrong(Record& row, const std::string& text) {
  const auto wrong = number_in<double>(text);
  if (wrong && *wrong >= 0 && *wrong < 1e18) row.wrong_elements = static_cast<std::uint64_t>(*wrong);
  if (wrong || text == "N/A" || text == "null") return;
  row.status = Status::failed;
  row.detail = fmt::format("its number of wrong elements is {}", text.substr(0, 20));
}

/// The number of hosts; 0 if the file does not say it.
int nccl_nodes(const ForeignRows& rows, const NcclLaunch& launch) {
  const bool is_known = listed_ranks(launch) && !is_split(launch) && !launch.hosts.empty();
  return is_known ? static_cast<int>(launch.hosts.size()) : rows.options().nodes.value_or(0);
}

/// The time; by the bandwidth where the time has no room for its digits, "1.1e+07".
std::optional<double> nccl_time(const NcclFigures& figures) {
  auto time_us = number_in<double>(figures.time);
  const auto algbw = number_in<double>(figures.algbw);
  if (time_us) *time_us *= figures.us_of_time;
  constexpr double enough = 1;  // GB/s: three digits
  if (figures.time.find('e') == std::string::npos || !algbw || *algbw < enough) return time_us;
  return static_cast<double>(figures.size_bytes) / *algbw / 1e3;
}

void add_nccl_row(ForeignRows& rows, const NcclLaunch& launch, const NcclFigures& figures, Collective collective,
                  int ranks) {
  auto row = rows.row_of(Transport::nccl, collective, ranks);
  row.nodes = nccl_nodes(rows, launch);
  rows.set_memory(row, launch.is_of_rccl ? "rocm" : "cuda");
  if (launch.origin) {
    row.run_id = launch.origin->run_id;
    row.transport = launch.origin->transport;
    row.memory = launch.origin->memory;
    row.network = launch.origin->network;
    row.timing = launch.origin->timing;
  }
  rows.set_datatype(row, figures.type);
  if (reduces(collective)) rows.set_op(row, figures.redop);
  row.in_place = figures.is_in_place ? 1 : 0;
  row.size_bytes = figures.size_bytes;
  row.count = figures.count;
  if (!figures.wrong.empty()) {
    set_wrong(row, figures.wrong);
  } else if (launch.out_of_bounds == 0.0) {
    row.wrong_elements = 0;
  } else if (launch.out_of_bounds) {
    row.status = Status::wrong;
    row.detail = fmt::format("{:.0f} values of this table are out of bounds", *launch.out_of_bounds);
  }
  if (figures.outcome) {
    row.status = figures.outcome->status;
    row.detail = figures.outcome->detail;
    row.network = figures.outcome->network;
  }
  rows.add(row, nccl_time(figures), figures.line);
}

}  // namespace

std::optional<std::string> nccl_program(std::string_view word) {
  const auto end = word.rfind("_perf");
  if (end == std::string_view::npos) return std::nullopt;
  const auto after = word.substr(end + 5);
  if (!after.empty() && std::string_view(".'\")]};,:|&_`*").find(after.front()) == std::string_view::npos)
    return std::nullopt;
  auto stem = word.substr(0, end);
  const auto begin = stem.find_last_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (begin != std::string_view::npos) stem.remove_prefix(begin + 1);
  return stem.empty() ? std::nullopt : std::optional(std::string(stem));
}

void add_launch(ForeignRows& rows, const NcclLaunch& launch) {
  if (launch.rows.empty()) return;
  if (lists_a_rank_twice(launch)) {
    return rows.refuse(
        launch.line,
        "it lists a rank twice: several launches printed among one another's lines; write each launch to "
        "a file of its own");
  }
  const auto found = collective_of(rows, launch);
  if (!found.collective) return rows.refuse(launch.line, found.refusal);
  const auto count = evidence_of(launch, found.collective).settle(rows.options().ranks);
  if (!count.ranks) return rows.refuse(launch.line, count.refusal);
  for (const auto& note : {found.note, count.note}) {
    if (!note.empty()) rows.guess(launch.line, note);
  }
  rows.begin_launch(launch.line);
  for (const auto& figures : launch.rows) add_nccl_row(rows, launch, figures, *found.collective, *count.ranks);
}

}  // namespace ringmark::analysis
