// Scenarios as text, for tests of the plan.
#pragma once

#include <string>

#include "analysis/plan/scenario.hpp"
#include "base/errors.hpp"

namespace ringmark::testing_support {

using analysis::read_scenario;
using analysis::Scenario;

inline std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}
inline Scenario read(const std::string& text) { return read_scenario("s.yaml", text, {}); }
inline std::string why_not(const std::string& text) {
  try {
    read(text);
    return "read";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

}  // namespace ringmark::testing_support
