// Whether launches of one setting differ from launches of another, without assuming a distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/statistics.hpp"

namespace ringmark {

/// Two-sided p of the Wilcoxon-Mann-Whitney test: exact up to `most_exact` values in all, ties by midranks; above, the
/// normal approximation with corrections for ties and continuity. Both sides have at least one value.
double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b);
constexpr std::size_t most_exact = 60;

/// The smallest p that so many values can reach: 3 against 3 reach 0.1 however far apart they are.
double least_mann_whitney_p(std::size_t a, std::size_t b);

/// median(a) / median(b) with its percentile-bootstrap interval over both sides' values. The same seed draws the same.
struct BootstrapRatio {
  double value;
  Interval interval;
};
BootstrapRatio ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b, double confidence,
                                std::uint64_t seed);

/// Cliff's delta: P(a < b) - P(a > b), from -1 to 1.
double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b);

/// Holm's step-down correction: each is significant at a level if the corrected one is below it, and the probability of
/// any false alarm in all of them stays below that level.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace ringmark
