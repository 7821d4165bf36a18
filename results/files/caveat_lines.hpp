// The lines below a table that explain why its rows are in doubt.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema/caveat.hpp"

namespace ringmark {

/// A line for each caveat of each setting, after `indent`.
std::string caveat_lines(const std::map<std::string, std::vector<Caveat>>& by_setting, std::string_view indent = "");

}  // namespace ringmark
