// Text from elsewhere as a terminal may show it: a file's or a peer's bytes must not move the cursor or fill the
// screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringmark {

/// Characters that control a terminal or the direction of text become \x1b or \u202e, bytes that are not UTF-8 become
/// \xff. Ends of lines and tabs stay.
std::string without_controls(std::string_view text);

/// The begin and the end of a text that is longer than so many bytes, with "…" between.
std::string shortened(std::string_view text, std::size_t most_bytes);

/// A message: without controls, its lines shortened, and with as many lines as a person reads.
std::string as_message(std::string_view text);

}  // namespace ringmark
