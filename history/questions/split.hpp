// Where a stretch of levels splits into two, and how sure the difference is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace ringmark::history {

/// On each side of a split, so that one or two slow nights do not make one.
constexpr std::size_t least_nights = 5;

struct Split {
  std::size_t first;  ///< index of the first level after it
  double t;           ///< of the difference in level, above 0 if it rises
  double p;           ///< two-sided, at this split alone
};

/// Student's t of levels whose scores, their distances from the median in units of the noise, are clipped: an outlier
/// counts no more than a level at the edge of the noise. The noise is that of successive differences, so steps do not
/// widen it, and at least `least_noise`. The variance of a mean is that of noise with the autocorrelation found.
/// The strongest split; empty with fewer than twice `least_nights`.
std::optional<Split> best_split(std::span<const double> levels, double least_noise);

/// False if best_split() of these levels would have a larger p: a bound that costs a tenth of it. `middle` is their
/// median and `noise` at least `least_noise`.
bool may_split(std::span<const double> levels, double middle, double noise, double p);

/// As best_split() at a given place, which may have any number of levels on both sides except none.
Split split_at(std::span<const double> levels, std::size_t first, double least_noise);

/// Median of the absolute difference of two standard normal values.
constexpr double median_difference = 0.953873;
/// Standard deviation of the noise, by the median of absolute successive differences. Needs two levels.
double noise_of(std::span<const double> levels);

/// Variance of the mean of `count` levels with autocorrelation `phi` at lag 1, over that of independent levels.
double inflation(double phi, std::size_t count);

/// Exact p of the ranks of up to 60 levels next to the split.
double rank_p(std::span<const double> levels, std::size_t first);

}  // namespace ringmark::history
