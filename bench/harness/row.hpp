// A row of results from its beginning to its verdict, the same for whatever is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "bench/flags/run_options.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/rank_resources.hpp"
#include "results/sink.hpp"

namespace ringmark {

/// A row with the columns that do not depend on what is measured, nor on which of the ranks take part.
Record describe_row(const RunOptions& options, const RankResources& resources, const std::string& run_id);

/// Says on which hosts the ranks of a row are: some of the run's, or all. `hosts` is by rank.
void place_row(const std::vector<std::string>& hosts, std::span<const int> ranks, Record& record);
void place_row(const std::vector<std::string>& hosts, Record& record);

/// Runs body; if it throws, the rows say so before that is passed on, and before a watchdog ends the process. `sink`
/// may be null.
void record_failure(Sink* sink, std::span<Record> records, const std::function<void()>& body);
void record_failure(Sink* sink, Record& record, const std::function<void()>& body);

/// The number of wrong elements or bytes, and the words for them.
struct WrongResults {
  std::uint64_t count = 0;
  std::string_view words = "results differ from what they must be";
};

/// The verdict on what was measured: the row's network, bytes, status and detail.
void judge(const PathFinding& path, const WayOut& way_out, const WrongResults& wrong, Record& record);

/// A setting that had no effect, in words, is the verdict where nothing worse is.
void mark_ignored(Record& record, const std::string& why);

}  // namespace ringmark
