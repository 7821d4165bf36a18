// Lines as a tool wrote them, where terminals, web pages and office programs changed their characters.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// Takes out colours, and puts back what stands for other characters: "&lt;" of HTML, "\#" of Markdown, blanks that do
/// not break and long minus signs.
std::string plain_text(std::string_view line);

}  // namespace ringmark
