// Text for files that a shell or another program with comments reads.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

/// Makes every line a comment, so that text from a file cannot become a command.
std::string as_comment(const std::string& text, const std::string& mark = "#");

/// One word for a shell, quoted if necessary.
std::string shell_word(const std::string& word);

/// The words for a shell, separated by spaces.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace ringmark
