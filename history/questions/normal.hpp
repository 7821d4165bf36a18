// The envelope of a series: its normal range, by which the next launch is judged.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "history/questions/changes.hpp"
#include "history/questions/point.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {

enum class Place { below, within, above };
std::string_view name(Place place);

struct Envelope {
  double median_us;
  std::optional<Interval> median_interval_us;  ///< 95 %; needs six launches
  Interval range_us;                           ///< contains a single new launch with `probability`
  double probability;
  bool by_ranks;  ///< the range is of order statistics; otherwise it assumes that most logarithms scatter normally
  std::size_t launches;      ///< on which it is based
  bool is_of_drift = false;  ///< the level is still drifting; the range is around its present value

  Place judge(double time_us) const;
};

/// The envelope of all these points; empty with fewer than five. `probability` is between 0 and 1.
std::optional<Envelope> envelope_of(std::span<const Point> points, double probability = 0.99);

/// The points since the last of the series' changes. If that is a drift with few points after it, all points of the
/// drift are returned, each scaled to the level that the drift has reached.
std::vector<Point> at_present_level(std::span<const Point> points, const std::vector<Change>& changes);
/// The index of the first point at the present level without any scaling: for such a drift, of the latest ten points.
std::size_t first_at_present_level(std::size_t points, const std::vector<Change>& changes);

/// The envelope of the points at the present level.
std::optional<Envelope> normal_of(std::span<const Point> points, const ChangeOptions& options,
                                  double probability = 0.99);

}  // namespace ringmark::history
