#include "base/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ringmark {
namespace {

/// Levenshtein's distance.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::string letters_of(std::string_view text) {
  auto letters = lower_case(text);
  std::erase_if(letters, [](unsigned char c) { return std::isalpha(c) == 0; });
  return letters;
}

std::string_view meant_by(std::string_view word, std::span<const std::string_view> known) {
  std::size_t fewest = std::clamp<std::size_t>(word.size() / 3, 1, 2) + 1;
  std::string_view meant;
  for (const auto name : known) {
    const auto errors = typing_errors(word, name);
    if (errors >= fewest) continue;
    fewest = errors;
    meant = name;
  }
  return meant;
}

}  // namespace ringmark
