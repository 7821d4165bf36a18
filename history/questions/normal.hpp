// The envelope of a series: what is normal for it, which the next launch is judged by.
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
  Interval range_us;                           ///< holds a single new launch with `probability`
  double probability;
  bool by_ranks;  ///< the range is of order statistics; otherwise it assumes that most logarithms scatter normally
  std::size_t launches;      ///< that it rests on
  bool is_of_drift = false;  ///< the level still moves, and the range is around where it is now

  Place judge(double time_us) const;
};

/// Of all these points; empty with fewer than five. `probability` is between 0 and 1.
std::optional<Envelope> envelope_of(std::span<const Point> points, double probability = 0.99);

/// The points since the last of the series' changes. If that is a drift with few points after it, all points of the
/// drift are returned, each scaled to the level that the drift has reached.
std::vector<Point> at_present_level(std::span<const Point> points, const std::vector<Change>& changes);
/// The same as they were measured: the latest ten of such a drift. The index of the first.
std::size_t first_at_present_level(std::size_t points, const std::vector<Change>& changes);

/// The envelope of the points at the present level.
std::optional<Envelope> normal_of(std::span<const Point> points, const ChangeOptions& options,
                                  double probability = 0.99);

}  // namespace ringmark::history
