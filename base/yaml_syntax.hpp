// Explains, in words, why a text is no YAML.
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
  std::string mended;    ///< what that line may have been meant to be
  bool is_sure = false;  ///< nothing was dropped in it
};
/// A quote without an end, which the parser takes for the whole rest of the text.
std::optional<SyntaxFault> unclosed_quote(const std::string& file, std::string_view text);
SyntaxFault syntax_fault(const std::string& file, std::string_view text, const YAML::Exception& error);

}  // namespace ringmark
