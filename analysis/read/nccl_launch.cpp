#include "analysis/read/nccl_launch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/read/nccl_collective.hpp"
#include "analysis/read/nccl_contradictions.hpp"
#include "results/files/rank_hosts.hpp"

namespace ringmark::analysis {
namespace {

/// "0", "1.2e+06", or "N/A" where nothing was checked.
void set_wrong(Record& row, const std::string& text) {
  const auto wrong = number_in<double>(text);
  if (wrong && *wrong >= 0 && *wrong < 1e18) row.wrong_elements = static_cast<std::uint64_t>(*wrong);
  if (wrong || text == "N/A" || text == "null") return;
  row.status = Status::failed;
  row.detail = fmt::format("its number of wrong elements is {}", text.substr(0, 20));
}

/// The host of each rank; empty if the file does not name those of all ranks, or several groups share a row.
std::vector<std::string> hosts_of_ranks(const NcclLaunch& launch) {
  if (!listed_ranks(launch) || is_split(launch)) return {};
  std::vector<std::string> hosts(launch.ranks.size());
  for (const auto& rank : launch.ranks) hosts[static_cast<std::size_t>(rank.number)] = rank.host;
  const auto is_no_name = [](const std::string& host) {
    return host.empty() || host.find_first_of(",[]*") != std::string::npos;
  };
  if (std::any_of(hosts.begin(), hosts.end(), is_no_name)) hosts.clear();
  return hosts;
}

/// The time; computed from the bandwidth if the time is printed with too few digits, "1.1e+07".
std::optional<double> nccl_time(const NcclFigures& figures) {
  auto time_us = number_in<double>(figures.time);
  const auto algbw = number_in<double>(figures.algbw);
  if (time_us) *time_us *= figures.us_of_time;
  constexpr double enough = 1;  // GB/s: three digits
  if (figures.time.find('e') == std::string::npos || !algbw || *algbw < enough) return time_us;
  return static_cast<double>(figures.size_bytes) / *algbw / 1e3;
}

/// nccl-tests' own bound of the relative deviation for each rank beyond the first; nothing for an unknown type.
std::optional<double> tolerated_deviation(const std::string& type) {
  const auto parsed = parse_datatype(type);
  if (!parsed) return std::nullopt;
  if (is_integer(*parsed)) return 0;
  return *parsed == DataType::float64 ? 1e-12 : *parsed == DataType::float32 ? 1e-5 : 1e-2;
}

/// True if the deviation of a row shows that elements are wrong. Without a reduction nothing is rounded, so any
/// deviation does.
bool deviates_too_much(const NcclLaunch& launch, const NcclFigures& figures, Collective collective, int ranks) {
  if (!figures.deviation) return false;
  if (!reduces(collective)) return *figures.deviation > 0;
  const auto tolerated = tolerated_deviation(figures.type);
  const bool passed_its_check = launch.out_of_bounds == 0.0;
  return tolerated && !passed_its_check && *figures.deviation > *tolerated * std::max(1, ranks - 1);
}

void add_nccl_row(ForeignRows& rows, const NcclLaunch& launch, const NcclFigures& figures, Collective collective,
                  int ranks) {
  if (figures.own) return rows.add_own(*figures.own, figures.line);
  auto row = rows.row_of(Transport::nccl, collective, ranks);
  const auto hosts = hosts_of_ranks(launch);
  row.nodes = hosts.empty() ? rows.options().nodes.value_or(0)
                            : static_cast<int>(std::set<std::string>(hosts.begin(), hosts.end()).size());
  row.settings.hosts = rank_hosts_text(hosts);
  if (!launch.nccl_version.empty()) row.settings.others["nccl_version"] = launch.nccl_version;
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
  const auto is_wrong = [&](const NcclFigures& each) { return deviates_too_much(launch, each, collective, ranks); };
  if (!figures.wrong.empty()) {
    set_wrong(row, figures.wrong);
  } else if (is_wrong(figures)) {
    row.status = Status::wrong;
    row.detail = fmt::format("its elements deviate by {:.3g}", *figures.deviation);
  } else if (launch.out_of_bounds == 0.0 ||
             (launch.out_of_bounds && std::any_of(launch.rows.begin(), launch.rows.end(), is_wrong))) {
    row.wrong_elements = 0;
  } else if (launch.out_of_bounds) {
    row.status = Status::wrong;
    row.detail = fmt::format("{:.0f} values of this table are out of bounds", *launch.out_of_bounds);
  }
  if (auto why = contradiction_in(figures, collective, ranks); !why.empty() && !figures.outcome) {
    row.status = Status::failed;
    row.detail = std::move(why);
  }
  if (figures.outcome) {
    row.status = figures.outcome->status;
    row.detail = figures.outcome->detail;
    row.caveats = figures.outcome->caveats;
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

std::set<std::string> nccl_programs_in(const Words& command) {
  std::set<std::string> programs;
  bool is_script = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const auto word = command[i];
    if (const auto program = nccl_program(word)) programs.insert(*program);
    const auto file = word.substr(word.rfind('/') + 1);
    is_script = is_script || says(file, "nccl_tests") || says(file, "nccl-tests");
    const bool is_option = word == "-t" || word == "--test";  // the number of threads in nccl-tests' own programs
    if (is_script && is_option && i + 1 < command.size() && collective_called(command[i + 1]))
      programs.emplace(command[i + 1]);
  }
  return programs;
}

void add_launch(ForeignRows& rows, const NcclLaunch& launch) {
  if (launch.rows.empty()) return;
  if (const auto why = why_mixed(launch); !why.empty()) {
    return rows.refuse(launch.line,
                       fmt::format("{}: the lines of several launches are interleaved; write each launch to its own "
                                   "file (unless nccl-tests is built with MPI=1, each process is a launch)",
                                   why));
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
