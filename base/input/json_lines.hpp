// Reads a file with one JSON object per line. Messages name the file, line, field and expected value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <istream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ringmark {

using Json = nlohmann::json;

/// Errors report the current line.
class JsonLines {
 public:
  /// Both must outlive this. Longer lines are refused without being read.
  JsonLines(std::istream& in, const std::string& file, std::size_t most_line_bytes = std::size_t{16} << 20U)
      : in_(in), file_(file), most_line_bytes_(most_line_bytes) {}

  /// False at the end of the file.
  bool next_line();
  /// True if this is the last line and it does not end in a newline; its writer may have been killed.
  bool is_cut_off() const { return in_.eof(); }
  bool is_blank() const { return line_.find_first_not_of(" \t\r") == std::string::npos; }
  /// Throws BadUsage for a line nested deeper than in any of our files: truncation cannot explain it.
  void refuse_deep_nesting() const;
  Json parse() const;

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    refuse_line(fmt::format(text, std::forward<Args>(args)...));
  }

  template <class Number>
  Number number(const Json& json, const char* field, Number least, Number most) const {
    const auto found = json.find(field);
    if (found == json.end()) refuse("{}: missing", field);
    const bool in_range = found->is_number_unsigned()
                              ? found->get<std::uint64_t>() <= static_cast<std::uint64_t>(most) &&
                                    found->get<std::uint64_t>() >= static_cast<std::uint64_t>(std::max(least, Number{}))
                              : found->is_number_integer() && least < Number{} &&
                                    found->get<std::int64_t>() >= static_cast<std::int64_t>(least);
    if (!in_range) refuse("{}: expected a whole number from {} to {}, found {}", field, least, most, found->dump());
    return found->get<Number>();
  }
  template <class Number>
  Number number_or(const Json& json, const char* field, Number least, Number most, Number otherwise) const {
    return json.contains(field) ? number(json, field, least, most) : otherwise;
  }

  /// True or false.
  bool truth_or(const Json& json, const char* field, bool otherwise) const;
  /// A non-negative number.
  double amount(const Json& json, const char* field) const;
  std::string text(const Json& json, const char* field) const;
  std::string text_or(const Json& json, const char* field, const std::string& otherwise) const;

 private:
  [[noreturn]] void refuse_line(const std::string& text) const;

  std::istream& in_;
  const std::string& file_;
  std::size_t most_line_bytes_;
  std::size_t number_ = 0;
  std::string line_;
};

}  // namespace ringmark
