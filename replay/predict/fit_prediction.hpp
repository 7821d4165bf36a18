// Predicts a collective's time from a fit/1, even for sizes and ranks that were not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/fit.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// Steps and bytes of a collective with the named algorithm: one of our schedules, or NCCL's `tree` or `pat`. Empty if
/// it does not exist for that many ranks. ringmark-link's `latency` and `bandwidth` count as a single message.
std::optional<Cost> cost_of(const std::string& collective, const std::string& algorithm, int ranks, int ranks_per_node);
bool is_point_to_point(const std::string& collective);

/// The segment for messages of `bytes / steps` bytes. Between two segments it is the nearer one, beyond all of them the
/// outermost.
const FitSegment& segment_for(const std::vector<FitSegment>& segments, double steps, double bytes);
double time_us_by(const std::vector<FitSegment>& segments, double steps, double bytes);

struct Prediction {
  double time_us;
  double bytes_us;               ///< part of time_us that is due to the bytes, not to the steps
  double beyond_sizes = 1;       ///< factor by which the size is above the largest or below the smallest measured size
  bool has_other_ranks = false;  ///< the number of ranks was not measured
  /// Both in words: "64 ranks (measured: 2, 4)". Empty within the measured range.
  std::vector<std::string> outside = {};
};
/// "4 to 16K", "2, 4".
std::string measured_sizes(const FitModel& model);
std::string measured_ranks(const FitModel& model);
/// Empty if the model's algorithm cannot run on that many ranks.
std::optional<Prediction> predict(const FitModel& model, std::uint64_t size_bytes, int ranks);

}  // namespace ringmark
