// A problem of a request, as a value: parsers create it, one function prints it, and no code searches its text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringmark {

/// A line of a hand-written file.
struct Place {
  std::string file;
  int line = 1;

  bool operator==(const Place&) const = default;
};

struct Problem {
  std::string flag{};    ///< "--min-bytes", a key of a file, or an environment variable; empty if none
  std::string value{};   ///< as given
  std::string text{};    ///< what is wrong, or what is allowed
  std::string remedy{};  ///< what to do instead, if the text does not say
  std::optional<Place> place{};

  bool operator==(const Problem&) const = default;
};

/// "sweep.yaml:4: --iters 0: give a number from 1 to 9; change it"
std::string to_text(const Problem& problem);
/// Sorts problems by file and line; problems of the same line keep their order.
void sort_by_place(std::vector<Problem>& problems);
/// One line per problem.
std::string to_text(std::span<const Problem> problems);

}  // namespace ringmark
