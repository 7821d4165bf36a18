#include "history/commands/file_messages.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace ringmark::history {
namespace {

constexpr std::string_view not_added = "not added: ";

/// "f:12: text" and "f: text" become "text".
std::string_view without_place(std::string_view file, std::string_view text) {
  if (!text.starts_with(file)) return text;
  const auto end = text.find_first_not_of(":0123456789 ", file.size());
  return text.substr(std::min(end, text.size()));
}

}  // namespace

void tell_on_errors(const std::string& text) { fmt::print(stderr, "ringmark-history: {}\n", as_message(text)); }

void FileMessages::note(const std::string& file, const std::string& text) { tell(notes_, file, "", text); }

void FileMessages::refuse(const std::string& file, const std::string& text) { tell(refusals_, file, not_added, text); }

void FileMessages::tell(ByText& same_text, const std::string& file, std::string_view before, const std::string& text) {
  auto& files = same_text[std::string(without_place(file, text))];
  if (files.empty()) tell_on_errors(fmt::format("{}{}", before, text));
  if (files.empty() || files.back() != file) files.push_back(file);
}

void FileMessages::tell_repeated() const {
  for (const auto& [text, files] : notes_) {
    if (files.size() == 1) continue;
    const auto more = files.size() == 2 ? "" : fmt::format("{} more files, the last ", files.size() - 1);
    tell_on_errors(fmt::format("{}{}: {}", more, files.back(), text));
  }
  for (const auto& [text, files] : refusals_) {
    constexpr std::size_t enough = 400;  // as_message() shortens lines of more than twice that
    std::string names;
    for (std::size_t i = 1; i < files.size(); ++i) {
      names += names.empty() ? files[i] : ", " + files[i];
      if (names.size() < enough && i + 1 < files.size()) continue;
      tell_on_errors(fmt::format("{}{}: {}", not_added, names, text));
      names.clear();
    }
  }
}

}  // namespace ringmark::history
