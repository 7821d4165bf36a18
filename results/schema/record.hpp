// One row of results: a setting, a size, and the measurements. results/README.md describes its columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/datatype.hpp"
#include "base/memory_kind.hpp"
#include "base/network.hpp"
#include "base/transport.hpp"
#include "results/schema/caveat.hpp"
#include "results/schema/listed.hpp"
#include "results/schema/settings.hpp"
#include "results/schema/status.hpp"
#include "results/schema/step_result.hpp"
#include "results/schema/workload.hpp"

namespace ringmark {

/// The ranks at the two ends of a link.
struct LinkEnds {
  int source = 0, destination = 0;

  bool operator==(const LinkEnds&) const = default;
};

struct Record {
  Schema schema = Schema::collective;
  std::string run_id;
  std::string time_utc;
  std::optional<Transport> transport;
  std::optional<Network> network;
  std::optional<MemoryKind> memory;
  std::string algorithm;
  Listed<Workload> collective;
  Listed<DataType> datatype;
  Listed<ReduceOp> op;
  int in_place = 0;
  std::optional<Timing> timing;
  int ranks = 0;
  int nodes = 0;
  int repetition = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t samples = 0;
  // Missing values are empty, never 0 or NaN.
  std::optional<double> time_us_min, time_us_p50, time_us_p95, time_us_p99, time_us_max, time_us_mean;
  std::optional<double> time_us_ci_low, time_us_ci_high;
  std::optional<double> algbw_GBps, busbw_GBps, busbw_GBps_ci_low, busbw_GBps_ci_high;
  std::string algorithm_used, protocol_used;
  std::optional<int> channels_used;
  std::optional<Start> start;
  std::optional<double> entry_skew_us_p50, issue_us_p50, device_us_p50;
  std::optional<std::uint64_t> wire_bytes, retransmits;
  std::optional<int> time_sliced, slowest_rank;
  std::optional<std::uint64_t> wrong_elements;
  std::optional<StopReason> stop_reason;
  Status status = Status::failed;  ///< until measured
  std::string detail;              ///< text for people; no code depends on it
  Settings settings;
  std::optional<std::uint64_t> launch;  ///< of a sweep, from 1
  std::vector<Caveat> caveats;          ///< except those that follow from its values

  std::optional<LinkEnds> link;    ///< of link/1
  std::optional<StepResult> step;  ///< of replay/1
  /// A sweep's variables and their values, in columns after all others.
  std::map<std::string, std::string> extra;

  bool operator==(const Record&) const = default;
};

/// The row's caveats, including those that follow from its values.
std::vector<Caveat> caveats_of(const Record& row);

/// Appends to the detail after a semicolon. Does nothing if the text is empty.
void add_remark(Record& row, std::string_view words);
/// The detail and all caveats as text, for display.
std::string remarks_on(const Record& row);

}  // namespace ringmark
