// A row of results from start to verdict, the same for all kinds of measurements.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "bench/flags/run_options.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/rank_resources.hpp"
#include "results/files/sink.hpp"

namespace ringmark {

/// A row with the columns that depend neither on the measurement nor on which ranks take part.
Record describe_row(const RunOptions& options, const RankResources& resources, const std::string& run_id);

/// Records the hosts of the ranks of a row: some of the run's, or all. `hosts` is by rank.
void place_row(const std::vector<std::string>& hosts, std::span<const int> ranks, Record& record);
void place_row(const std::vector<std::string>& hosts, Record& record);

/// Runs body; if it throws, records the failure in the rows before rethrowing, and before a watchdog ends the process.
/// `sink` may be null.
void record_failure(Sink* sink, std::span<Record> records, const std::function<void()>& body);
void record_failure(Sink* sink, Record& record, const std::function<void()>& body);

/// The number of wrong elements or bytes, and their description.
struct WrongResults {
  std::uint64_t count = 0;
  std::string_view words = "results are wrong";
};

/// The verdict on a measurement: the row's network, bytes, status and detail.
void judge(const PathFinding& path, const WayOut& way_out, const WrongResults& wrong, Record& record);

/// Sets the status to `ignored`, with a description of the setting that had no effect, unless the status is worse.
void mark_ignored(Record& record, const std::string& why);

}  // namespace ringmark
