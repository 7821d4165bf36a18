#include "base/text/number_ranges.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace ringmark {

std::vector<std::string> number_ranges(const std::vector<int>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < numbers.size();) {
    auto last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges.push_back(first == last ? fmt::format("{}", numbers[first])
                                   : fmt::format("{}-{}", numbers[first], numbers[last]));
    first = last + 1;
  }
  return ranges;
}

}  // namespace ringmark
