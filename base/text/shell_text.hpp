// Text for files read by a shell, or by another program with `#` comments.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

/// Turns every line into a comment without control characters, so that text from a file cannot become a command.
std::string as_comment(const std::string& text, const std::string& mark = "#");

/// A single shell word, quoted if necessary.
std::string shell_word(const std::string& word);

/// Shell words, separated by spaces.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace ringmark
