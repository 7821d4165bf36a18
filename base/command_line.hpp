// What is wrong with a command line, for whoever typed it.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace ringmark {

/// For CLI::App::failure_message: words that were not expected in the order in which they were given, with the flag
/// that may be meant.
std::string failure_words(const CLI::App* app, const CLI::Error& error);

}  // namespace ringmark
