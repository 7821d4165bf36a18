// Ascending numbers as ranges.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

/// "0-3" and "8" of 0, 1, 2, 3, 8. `numbers` are ascending.
std::vector<std::string> number_ranges(const std::vector<int>& numbers);

}  // namespace ringmark
