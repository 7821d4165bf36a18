// Explains a wrong command line to its user.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace ringmark {

/// For CLI::App::failure_message: lists unexpected words in the given order, with the flag that was probably meant.
std::string failure_words(const CLI::App* app, const CLI::Error& error);

}  // namespace ringmark
