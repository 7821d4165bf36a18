#include "replay/model/config_keys.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/text/spelling.hpp"

namespace ringmark::replay {
namespace {

bool is_one_of(std::string_view value, std::span<const std::string_view> all) {
  return std::find(all.begin(), all.end(), value) != all.end();
}

}  // namespace

bool changes_step(std::string_view value, std::string_view usual) {
  constexpr std::array<std::string_view, 7> no{"false", "f", "no", "n", "off", "0", "0.0"};
  constexpr std::array<std::string_view, 7> nothing{"", "null", "~", "auto", "none", "[]", "{}"};
  const auto word = lower_case(value);
  if (is_one_of(word, nothing) || word == usual) return false;
  return (usual == "true") == is_one_of(word, no);
}

std::vector<std::string_view> words_of(std::string_view list) {
  constexpr auto blanks = " \n";
  std::vector<std::string_view> words;
  for (auto at = list.find_first_not_of(blanks); at != std::string_view::npos;) {
    const auto end = std::min(list.find_first_of(blanks, at), list.size());
    words.push_back(list.substr(at, end - at));
    at = list.find_first_not_of(blanks, end);
  }
  return words;
}

}  // namespace ringmark::replay
