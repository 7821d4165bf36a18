// Where a stretch of levels splits into two, and how sure the difference is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace ringmark::history {

/// The minimum on each side of a split, so that one or two slow nights are not a change.
constexpr std::size_t least_nights = 5;

struct Split {
  std::size_t first;  ///< index of the first level after it
  double t;           ///< of the difference in level, above 0 if it rises
  double p;           ///< two-sided, at this split alone
};

/// Student's t of clipped scores. The score of a level is its distance from the median in units of the noise, so an
/// outlier counts no more than a level at the edge of the noise. The noise is that of successive differences, so steps
/// do not widen it, and at least `least_noise`. The variance of a mean includes the autocorrelation found. The
/// strongest split; empty with fewer than twice `least_nights`.
std::optional<Split> best_split(std::span<const double> levels, double least_noise);

/// False if best_split() of these levels is sure to have a larger p. A bound that takes a tenth of its time. `middle`
/// is their median and `noise` at least `least_noise`.
bool may_split(std::span<const double> levels, double middle, double noise, double p);

/// Like best_split() at a given place, with at least one level on each side.
Split split_at(std::span<const double> levels, std::size_t first, double least_noise);

/// Median of the absolute difference of two standard normal values.
constexpr double median_difference = 0.953873;
/// Standard deviation of the noise, from the median of absolute successive differences. Needs two levels.
double noise_of(std::span<const double> levels);

/// Variance of the mean of `count` levels with autocorrelation `phi` at lag 1, over that of independent levels.
double inflation(double phi, std::size_t count);

/// The exact p of the Mann-Whitney test of up to 60 levels next to the split.
double rank_p(std::span<const double> levels, std::size_t first);

}  // namespace ringmark::history
