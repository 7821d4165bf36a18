#include "base/text/spelling.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace ringmark {
namespace {

/// Damerau and Levenshtein's distance, in which two letters that changed places are one error.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> errors(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) errors[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) errors[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto change = errors[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      errors[i][j] = std::min({change, errors[i - 1][j] + 1, errors[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
    }
  }
  return errors.back().back();
}

/// Words that other tools use for the same concept.
constexpr std::array<std::string_view, 5> same_words[]{{"bytes", "size", "sizes"},
                                                       {"iters", "iterations", "repeats", "cycles"},
                                                       {"ranks", "np", "ntasks", "nprocs", "processes"},
                                                       {"datatype", "dtype", "type"},
                                                       {"hosts", "nodes", "nodelist"}};

/// The word, and variants with synonyms for its parts: "max-size", "max-bytes", "max-sizes".
std::vector<std::string> with_same_words(std::string_view word) {
  std::vector<std::string> all{std::string(word)};
  for (std::size_t begin = 0; begin <= word.size();) {
    const auto end = std::min(word.find('-', begin), word.size());
    const auto part = word.substr(begin, end - begin);
    for (const auto& same : same_words) {
      if (part.empty() || std::find(same.begin(), same.end(), part) == same.end()) continue;
      for (const auto other : same) {
        if (other.empty() || other == part) continue;
        all.emplace_back(word).replace(begin, part.size(), other);
      }
    }
    begin = end + 1;
  }
  return all;
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
  for (const auto& written : with_same_words(word)) {
    for (const auto name : known) {
      const auto errors = typing_errors(written, name);
      if (errors >= fewest) continue;
      fewest = errors;
      meant = name;
    }
  }
  return meant;
}

}  // namespace ringmark
