// Uncertain values: how far an input, or a result of several inputs, may be from the planned value.
#pragma once

#include <optional>

#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

/// The factor exp(shift + below * z) for a negative and exp(shift + above * z) for a positive z, where z is standard
/// normal.
struct Spread {
  static constexpr double least = 1e-9;  ///< less scatter is rounding

  double shift = 0, below = 0, above = 0;

  double quantile(double probability) const;
  double probability_below(double factor) const;
  double mean() const;
};

/// Cumulants of the logarithm of a factor. For a product of independent factors they add up.
struct Cumulants {
  double mean = 0, variance = 0, third = 0;
};
Cumulants operator+(const Cumulants& a, const Cumulants& b);

/// Cumulants of a factor's logarithm. The factor has a median of 1, its 5 and 95 % points are `factors`, and on each
/// side of the median its logarithm is normal.
Cumulants cumulants_of(const Interval& factors);
/// The standard deviations of its logarithm on both sides; the shift is 0.
Spread scatters_of(const Interval& factors);

/// The spread with these cumulants: exact for a single factor of cumulants_of(), or if all factors are symmetric. A
/// probability of several factors is wrong by less than 0.01 in the tails and, if the widest is one-sided, by up to
/// 0.04 near the median.
Spread spread_of(const Cumulants& cumulants);

/// A value as planned, with likely inputs.
struct Estimate {
  /// A factor that makes any value exceed every limit, and is still a number in a spreadsheet.
  static constexpr double unbounded = 1e9;

  double planned = 0;
  std::optional<Spread> spread;  ///< around the planned value; nothing if it is unknown

  /// The central range that holds this share of cases; only the planned value without a spread.
  Interval range(double share = 0.9) const;
  /// The value that is not exceeded with this probability; beyond every limit without a spread.
  double not_exceeded(double probability) const;
  std::optional<double> probability_below(double limit) const;
  Estimate times(double factor) const { return {planned * factor, spread}; }
};

}  // namespace ringmark::analysis
