// Explains why a text is not YAML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <yaml-cpp/exceptions.h>

#include "base/problem.hpp"

namespace ringmark {

/// A fault that the parser found in a text.
struct SyntaxFault {
  Problem problem;       ///< line, column, what is not allowed there, and what to do
  int line = 0;          ///< from 0
  std::string repaired;  ///< the line as it was probably meant
  bool is_sure = false;  ///< nothing was dropped from it
};
/// Finds an unclosed quote, which the parser lets extend to the end of the text.
std::optional<SyntaxFault> unclosed_quote(const std::string& file, std::string_view text);
SyntaxFault syntax_fault(const std::string& file, std::string_view text, const YAML::Exception& error);

}  // namespace ringmark
