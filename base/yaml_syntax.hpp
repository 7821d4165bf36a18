// Explains, in words, why a text is no YAML.
#pragma once

#include <string>
#include <string_view>

#include <yaml-cpp/exceptions.h>

#include "base/problem.hpp"

namespace ringmark {

/// The problem that the parser found in the file's text: line, column, what is not allowed there, and what to do.
Problem syntax_problem(const std::string& file, std::string_view text, const YAML::Exception& error);

}  // namespace ringmark
