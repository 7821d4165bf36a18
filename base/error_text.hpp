// The words that users see for an exception that a library threw.
#pragma once

#include <exception>
#include <string>

namespace ringmark {

/// The exception in words that a terminal may show: without the marks that libraries put before theirs, and with the
/// name of the file.
std::string text_of(const std::exception& error);

}  // namespace ringmark
