// Takes a line of a log apart from its beginning.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace ringmark::analysis::job {

class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : rest_(line) {}

  /// True, and behind the text, if the line goes on with it.
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// True, and behind the text, if the line has it anywhere.
  bool skip_past(std::string_view text) {
    const auto at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  template <class Number>
  std::optional<Number> number() {
    Number value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// The text before the first of these characters, which stays.
  std::string_view until(std::string_view ends) {
    const auto taken = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace ringmark::analysis::job
