// What a store takes from a file: launches with their rows, summaries of samples, and verdicts.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/store/parts.hpp"

namespace ringmark::history {

/// Limit for the pause between rows of one launch: a run_id that appears again after a longer one is another launch.
constexpr std::chrono::hours longest_pause(24);

/// Begins the key of a launch of another tool, which has no run_id; a digest of the rows follows.
constexpr std::string_view key_of_rows = "rows:";

struct Launch {
  /// Identifies the launch in every file: Ringmark's run_id, or key_of_rows and a digest for results of other tools. If
  /// a store has another launch with this key, it appends the time.
  std::string key;
  std::chrono::sys_seconds time;  ///< of its first row
  std::vector<StoredRow> rows;
};

/// What a store keeps of the samples of a row on one rank.
struct RankSamples {
  int rank = 0;
  std::string host;  ///< empty if unknown
  std::uint64_t samples = 0;
  double time_us_p50 = 0;
  std::optional<double> time_us_p95, computation_us_p50, late_us_p50;
};

struct RowSamples {
  std::string launch;        ///< its key
  std::uint64_t number = 0;  ///< of the row among those of its launch that have samples, from 0
  std::vector<RankSamples> ranks;
};

/// A verdict of ringmark-accept, schema accept/1.
struct StoredVerdict {
  std::chrono::sys_seconds time;
  std::string outcome;
  std::vector<std::string> drained;  ///< hosts to take out of service
  std::string json;
};

/// The contents of one file.
struct Contents {
  std::string file, sha256;
  std::vector<Launch> launches;
  std::vector<RowSamples> samples;
  std::optional<StoredVerdict> verdict;
  std::vector<std::string> notes{};  ///< on parts of the file that were left out
  bool is_dated_by_file = false;     ///< its launches have the file's modification time
};

}  // namespace ringmark::history
