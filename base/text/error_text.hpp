// The text shown to users for an exception thrown by a library.
#pragma once

#include <exception>
#include <string>

namespace ringmark {

/// The exception's text, safe for a terminal: without the prefixes that libraries add, and with the name of the file.
std::string text_of(const std::exception& error);

}  // namespace ringmark
