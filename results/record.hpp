// One row of results: a setting, a size, and what was measured. results/README.md is the dictionary of its columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/datatype.hpp"
#include "base/memory_kind.hpp"
#include "base/network.hpp"
#include "base/transport.hpp"
#include "results/detail.hpp"
#include "results/listed.hpp"
#include "results/run_id.hpp"
#include "results/status.hpp"
#include "results/step_result.hpp"
#include "results/workload.hpp"

namespace ringmark {

/// The ranks at both ends of a link.
struct LinkEnds {
  int source = 0, destination = 0;

  bool operator==(const LinkEnds&) const = default;
};

struct Record {
  Schema schema = Schema::collective;
  RunId run_id;
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
  // Nothing stands for a figure that does not exist, never 0 or NaN.
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
  Status status = Status::failed;  ///< until it is known better
  Detail detail;
  std::map<std::string, std::string> settings;
  /// A setting's value; empty if the row does not have it.
  std::string_view setting(const std::string& key) const;

  std::optional<LinkEnds> link;    ///< of link/1
  std::optional<StepResult> step;  ///< of replay/1
  /// A sweep's variables and their values, in columns after all others.
  std::map<std::string, std::string> extra;

  bool operator==(const Record&) const = default;
};

/// The caveats in a row's detail, and those that its figures give rise to.
std::vector<Caveat> caveats_of(const Record& row);

/// Calls visit(name, member) for each column of the contract in its order.
template <class RecordType, class Visitor>
void visit_columns(RecordType& r, Visitor&& visit) {
#define RINGMARK_COLUMN(name) visit(#name, r.name)
  RINGMARK_COLUMN(schema);
  RINGMARK_COLUMN(run_id);
  RINGMARK_COLUMN(time_utc);
  RINGMARK_COLUMN(transport);
  RINGMARK_COLUMN(network);
  RINGMARK_COLUMN(memory);
  RINGMARK_COLUMN(algorithm);
  RINGMARK_COLUMN(collective);
  RINGMARK_COLUMN(datatype);
  RINGMARK_COLUMN(op);
  RINGMARK_COLUMN(in_place);
  RINGMARK_COLUMN(timing);
  RINGMARK_COLUMN(ranks);
  RINGMARK_COLUMN(nodes);
  RINGMARK_COLUMN(repetition);
  RINGMARK_COLUMN(size_bytes);
  RINGMARK_COLUMN(count);
  RINGMARK_COLUMN(samples);
  RINGMARK_COLUMN(time_us_min);
  RINGMARK_COLUMN(time_us_p50);
  RINGMARK_COLUMN(time_us_p95);
  RINGMARK_COLUMN(time_us_p99);
  RINGMARK_COLUMN(time_us_max);
  RINGMARK_COLUMN(time_us_mean);
  RINGMARK_COLUMN(time_us_ci_low);
  RINGMARK_COLUMN(time_us_ci_high);
  RINGMARK_COLUMN(algbw_GBps);
  RINGMARK_COLUMN(busbw_GBps);
  RINGMARK_COLUMN(busbw_GBps_ci_low);
  RINGMARK_COLUMN(busbw_GBps_ci_high);
  RINGMARK_COLUMN(algorithm_used);
  RINGMARK_COLUMN(protocol_used);
  RINGMARK_COLUMN(channels_used);
  RINGMARK_COLUMN(start);
  RINGMARK_COLUMN(entry_skew_us_p50);
  RINGMARK_COLUMN(issue_us_p50);
  RINGMARK_COLUMN(device_us_p50);
  RINGMARK_COLUMN(wire_bytes);
  RINGMARK_COLUMN(retransmits);
  RINGMARK_COLUMN(time_sliced);
  RINGMARK_COLUMN(slowest_rank);
  RINGMARK_COLUMN(wrong_elements);
  RINGMARK_COLUMN(stop_reason);
  RINGMARK_COLUMN(status);
  RINGMARK_COLUMN(detail);
  RINGMARK_COLUMN(settings);
#undef RINGMARK_COLUMN
}

}  // namespace ringmark
