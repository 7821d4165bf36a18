// The envelope of a series: what is normal for it, which the next launch is judged by.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

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
  std::size_t launches;  ///< that it rests on

  Place judge(double time_us) const;
};

/// Of all these points; empty with fewer than five. `probability` is between 0 and 1.
std::optional<Envelope> envelope_of(std::span<const Point> points, double probability = 0.99);

/// Of the points since the last change of the series.
std::optional<Envelope> normal_of(std::span<const Point> points, const ChangeOptions& options,
                                  double probability = 0.99);

}  // namespace ringmark::history
