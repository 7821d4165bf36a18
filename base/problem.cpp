#include "base/problem.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace ringmark {
namespace {

/// True for an environment variable.
bool is_variable(const std::string& flag) { return flag.front() >= 'A' && flag.front() <= 'Z'; }

}  // namespace

std::string to_text(const Problem& problem) {
  constexpr std::size_t longest_value = 200;
  std::string text;
  if (problem.place) text += fmt::format("{}:{}: ", problem.place->file, problem.place->line);
  if (!problem.flag.empty()) {
    const char* separator = problem.value.empty() ? "" : is_variable(problem.flag) ? "=" : " ";
    text += fmt::format("{}{}{}: ", problem.flag, separator, shortened(problem.value, longest_value));
  }
  text += problem.text;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return text;
}

void sort_by_place(std::vector<Problem>& problems) {
  const auto key = [](const Problem& problem) {
    return problem.place ? std::pair<std::string_view, int>(problem.place->file, problem.place->line)
                         : std::pair<std::string_view, int>("", 0);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
}

std::string to_text(std::span<const Problem> problems) {
  std::string text;
  for (const auto& problem : problems) text += (text.empty() ? "" : "\n") + to_text(problem);
  return text;
}

}  // namespace ringmark
