// Whether the values of one side tend to be larger than those of the other, based on ranks only.
#pragma once

#include <cstddef>
#include <vector>

namespace ringmark {

/// Two-sided p of the Wilcoxon-Mann-Whitney test: exact up to 66 values, or up to 215 with one on a side, with midranks
/// for ties; above that, the normal approximation with corrections for ties and continuity. Both sides need at least
/// one value.
double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b);

/// The smallest p that mann_whitney_p can return for this many values: 0.1 for 3 against 3, however far apart they are.
double least_mann_whitney_p(std::size_t a, std::size_t b);

/// Holm's step-down correction: each comparison is significant at a level if its corrected p is below it, and the
/// probability of any false alarm among all of them stays below that level.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace ringmark
