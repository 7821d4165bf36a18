// Predicts a collective's time from a fit/1, even for sizes and ranks that were not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/fit.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// Steps and bytes of a collective by the name of an algorithm: one of our schedules, or NCCL's `tree` or `pat`.
/// Nothing if it does not exist for that many ranks. `latency` and `bandwidth`, measured by ringmark-link, are one
/// message.
std::optional<Cost> cost_of(const std::string& collective, const std::string& algorithm, int ranks, int ranks_per_node);
bool is_point_to_point(const std::string& collective);

/// The segment for messages of bytes / steps: beyond all segments the last one, between two the nearer one.
const FitSegment& segment_for(const std::vector<FitSegment>& segments, double steps, double bytes);
double time_us_by(const std::vector<FitSegment>& segments, double steps, double bytes);

struct Prediction {
  double time_us;
  double bytes_us;          ///< part of time_us that the bytes take, not the steps
  double beyond_sizes = 1;  ///< factor by which the size lies above the largest, or below the smallest measured one
  bool has_other_ranks = false;  ///< the number of ranks was not measured
  /// Both in words: "64 ranks (measured: 2, 4)". Empty within the measured range.
  std::vector<std::string> outside = {};
};
/// "4 to 16K", "2, 4".
std::string measured_sizes(const FitModel& model);
std::string measured_ranks(const FitModel& model);
/// Nothing if the model's algorithm cannot run on that many ranks.
std::optional<Prediction> predict(const FitModel& model, std::uint64_t size_bytes, int ranks);

}  // namespace ringmark
