// Whether the values of one side tend to be larger than those of the other, by their ranks alone.
#pragma once

#include <cstddef>
#include <vector>

namespace ringmark {

/// Two-sided p of the Wilcoxon-Mann-Whitney test: exact up to `most_exact` values in all, ties by midranks; above, the
/// normal approximation with corrections for ties and continuity. Both sides have at least one value.
double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b);
constexpr std::size_t most_exact = 60;

/// The smallest p that so many values can reach: 3 against 3 reach 0.1 however far apart they are.
double least_mann_whitney_p(std::size_t a, std::size_t b);

/// Holm's step-down correction: each is significant at a level if the corrected one is below it, and the probability of
/// any false alarm in all of them stays below that level.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace ringmark
