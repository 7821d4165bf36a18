#include "history/commands/file_messages.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace ringmark::history {
namespace {

/// "f:12: text" and "f: text" become "text".
std::string_view without_place(std::string_view file, std::string_view text) {
  if (!text.starts_with(file)) return text;
  const auto end = text.find_first_not_of(":0123456789 ", file.size());
  return text.substr(std::min(end, text.size()));
}

}  // namespace

void tell_on_errors(const std::string& text) { fmt::print(stderr, "ringmark-history: {}\n", as_message(text)); }

void FileMessages::tell(const std::string& file, const std::string& before, const std::string& text) {
  auto& same = same_[{before, std::string(without_place(file, text))}];
  if (same.empty()) tell_on_errors(before + text);
  if (same.empty() || same.back() != file) same.push_back(file);
}

void FileMessages::tell_repeated() const {
  for (const auto& [message, files] : same_) {
    if (files.size() == 1) continue;
    const auto& [before, text] = message;
    const auto more = files.size() == 2 ? "" : fmt::format("{} more files, the last ", files.size() - 1);
    tell_on_errors(fmt::format("{}{}{}: {}", before, more, files.back(), text));
  }
}

}  // namespace ringmark::history
