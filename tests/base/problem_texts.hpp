// Problems as they are printed, for tests that look for the words that matter.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace ringmark {

/// For GoogleTest.
inline void PrintTo(const Problem& problem, std::ostream* out) { *out << to_text(problem); }

namespace testing_support {

inline std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> lines;
  for (const auto& problem : problems) lines.push_back(to_text(problem));
  return lines;
}

}  // namespace testing_support
}  // namespace ringmark
