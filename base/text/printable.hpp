// External text made safe for a terminal: bytes from a file or peer must not move the cursor or flood the screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ringmark {

/// Characters that control a terminal or the text direction become \x1b or \u202e, and invalid UTF-8 bytes become \xff.
/// Line ends and tabs are kept.
std::string without_controls(std::string_view text);

/// The start and end of a text longer than this many bytes, with "…" in between.
std::string shortened(std::string_view text, std::size_t most_bytes);

/// A message without control characters, with long lines shortened, and limited to as many lines as people read.
std::string as_message(std::string_view text);

/// Prints text with parts from elsewhere, such as names in a file, on standard output, without control characters.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  fmt::print("{}", without_controls(fmt::format(text, std::forward<Args>(args)...)));
}

}  // namespace ringmark
