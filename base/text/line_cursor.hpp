// Reads words and numbers from a line of a log.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace ringmark {

/// Reads a line from the left. A read that does not match leaves the position unchanged.
class LineCursor {
 public:
  explicit LineCursor(std::string_view text) : rest_(text) {}

  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// Moves past the next `word`.
  bool find(std::string_view word) {
    const auto at = rest_.find(word);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + word.size());
    return true;
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  /// Takes the text before the first of these characters.
  std::string_view until(std::string_view ends) {
    const auto length = std::min(rest_.find_first_of(ends), rest_.size());
    const auto word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  template <class Number>
  bool number(Number& to, int base = 10) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), to, base);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  template <class Number>
  std::optional<Number> number() {
    Number value{};
    return number(value) ? std::optional(value) : std::nullopt;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace ringmark
