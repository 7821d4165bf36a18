// Text for files that a shell, or another program with comments, reads.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

/// Every line of it: what came from a file must not become a command.
std::string as_comment(const std::string& text, const std::string& mark = "#");

/// One word for a shell, in quotes where it needs them.
std::string shell_word(const std::string& word);

/// All of them, with spaces between.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace ringmark
