// Several lines through times that do not follow a single line: one for each range of message sizes, chosen by the
// Bayesian information criterion.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/fit/line_fit.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// A point with its origin.
struct Observation {
  Point point;
  std::uint64_t size_bytes;
  int ranks;
  std::vector<std::pair<std::uint32_t, double>> launches = {};  ///< the launches that it averages, each with its time
  double message() const { return point.steps > 0 ? point.bytes / point.steps : 0; }
};

using Observations = std::vector<Observation>;

/// At most three segments, cut between different message sizes where that improves the criterion.
std::vector<FitSegment> fit_segments(const Observations& all);

/// The sum of squares of relative residuals that those segments leave.
double squares_left(const Observations& all);

/// The predicted time: by the last segment for a message beyond all of them, by the nearer one between two.
double time_by(const std::vector<FitSegment>& segments, const Observation& each);

/// For each value of `key`, at most twenty of them, leaves out its observations and predicts them from the others.
/// Nothing with fewer than two values, or where fewer than `least_left` observations would remain.
std::optional<HeldOut> held_out(const Observations& all, const std::function<std::uint64_t(const Observation&)>& key,
                                std::size_t least_left);

}  // namespace ringmark::analysis
