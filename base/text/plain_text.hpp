// Restores lines that a tool wrote after terminals, web pages or office programs changed their characters.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// Removes colors and restores replaced characters: "&lt;" from HTML, "\#" from Markdown, non-breaking spaces and long
/// minus signs.
std::string plain_text(std::string_view line);

}  // namespace ringmark
