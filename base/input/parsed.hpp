// The result of parsing a command line.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "base/problem.hpp"
#include "base/text/printable.hpp"

namespace ringmark {

/// Either the options, or the status (exit_status.hpp) to exit with at once, for help or bad input.
template <class Options>
struct Parsed {
  Options options{};
  std::optional<int> exit_status{};
  std::string output{};             ///< for standard output
  std::vector<Problem> problems{};  ///< for standard error
};

/// Prints the output or the problems, and returns the exit status.
template <class Options>
int leave_with(const Parsed<Options>& parsed) {
  fmt::print("{}", parsed.output);
  if (!parsed.problems.empty()) fmt::print(stderr, "{}\n", as_message(to_text(parsed.problems)));
  return *parsed.exit_status;
}

}  // namespace ringmark
