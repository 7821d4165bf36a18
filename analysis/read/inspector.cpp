// NCCL Inspector's log of one rank, as rows: all calls of a collective of one size are a row. The logs of a job's ranks
// are one launch.
#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/inspector_log.hpp"
#include "replay/import/formats.hpp"
#include "results/files/provenance.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {
namespace {

/// Marks calls of a program, which wait for its late ranks and cannot be compared with a benchmark.
constexpr const char* source_label = "label.source";

struct Calls {
  std::size_t line = 0;  ///< of the first
  std::vector<double> times_us;
};

/// The communicator with the most ranks. It is the same in the logs of all of them.
std::string largest_communicator(const InspectorLog& log) {
  const auto largest = std::max_element(log.contexts.begin(), log.contexts.end(), [](const auto& a, const auto& b) {
    return std::tie(a.ranks, b.communicator) < std::tie(b.ranks, a.communicator);
  });
  return largest->communicator;
}

void set_times(Record& row, std::vector<double> times_us) {
  row.samples = times_us.size();
  const Sorted sorted(std::move(times_us));
  row.time_us_mean = sorted.mean();
  row.time_us_min = sorted[0];
  row.time_us_max = sorted[sorted.size() - 1];
  if (const auto interval = sorted.median_interval()) {
    row.time_us_ci_low = interval->low;
    row.time_us_ci_high = interval->high;
  }
}

}  // namespace

void read_inspector(ForeignRows& rows) {
  const auto log = read_inspector_log(rows.file(), rows.text());
  for (const auto& note : {log.damage, log.cut_off}) {
    if (!note.empty()) rows.note(note);
  }
  using Case = std::tuple<int, int, Collective, std::uint64_t>;
  std::map<Case, Calls> cases;
  for (const auto& call : log.calls) {
    const auto& context = log.contexts[call.context];
    const auto collective = replay::collective_named(call.collective);
    if (!collective) {
      rows.refuse(call.line, fmt::format("'{}' is not a known collective", call.collective));
      continue;
    }
    constexpr double most_us = 1e13;
    if (call.time_us <= 0 || call.time_us > most_us || context.ranks < 1 || call.size_bytes == 0) {
      rows.refuse(call.line, "a call with an impossible time, size or number of ranks");
      continue;
    }
    auto& calls = cases[{context.ranks, context.nodes, *collective, call.size_bytes}];
    if (calls.line == 0) calls.line = call.line;
    calls.times_us.push_back(call.time_us);
  }
  if (cases.empty()) return rows.refuse(1, "an NCCL Inspector log without a timed collective");
  rows.begin_launch_of("inspector-" + largest_communicator(log));
  for (auto& [each, calls] : cases) {
    const auto& [ranks, nodes, collective, bytes] = each;
    auto row = rows.row_of(Transport::nccl, collective, ranks);
    row.time_utc = utc_text(std::chrono::floor<std::chrono::seconds>(log.written));
    row.nodes = nodes;
    row.timing = Timing::each;
    row.size_bytes = bytes;
    row.settings.others[source_label] = "nccl-inspector";
    rows.set_memory(row, "cuda");
    const double middle_us = median(calls.times_us);
    set_times(row, std::move(calls.times_us));
    rows.add(row, middle_us, calls.line);
  }
}

}  // namespace ringmark::analysis
