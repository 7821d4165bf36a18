#include "base/text/shell_text.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "base/text/printable.hpp"

namespace ringmark {

std::string as_comment(const std::string& text, const std::string& mark) {
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) comment += mark + " " + without_controls(line) + "\n";
  return comment;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_=./:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace ringmark
