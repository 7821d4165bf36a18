// What a fit/1 says of a collective that it may never have seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/fit.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {

/// Steps and bytes of a collective by an algorithm's name: our schedules', and those of NCCL's `tree` and `pat`;
/// nothing if there is none for so many ranks. `latency` and `bandwidth`, as ringmark-link measures them, are one
/// message.
std::optional<Cost> cost_of(const std::string& collective, const std::string& algorithm, int ranks, int ranks_per_node);
bool is_point_to_point(const std::string& collective);

/// By the segment that a message of bytes / steps falls in; beyond all segments by the last one, between two by the
/// nearer one.
const FitSegment& segment_for(const std::vector<FitSegment>& segments, double steps, double bytes);
double time_us_by(const std::vector<FitSegment>& segments, double steps, double bytes);

struct Prediction {
  double time_us;
  double bytes_us;               ///< of it what bytes take, rather than steps
  double beyond_sizes = 1;       ///< the size is so many times larger than the largest measured one, or smaller
  bool has_other_ranks = false;  ///< than were measured
  /// Both in words: "64 ranks (measured: 2, 4)". Empty if nothing lies outside what was measured.
  std::vector<std::string> outside = {};
};
/// "4 to 16K", "2, 4".
std::string measured_sizes(const FitModel& model);
std::string measured_ranks(const FitModel& model);
/// Nothing if the model's algorithm cannot run on so many ranks.
std::optional<Prediction> predict(const FitModel& model, std::uint64_t size_bytes, int ranks);

}  // namespace ringmark
