// The lines below a table that tell why its rows are doubted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/caveat.hpp"

namespace ringmark {

/// A line for each caveat of each setting, behind `indent`.
std::string caveat_lines(const std::map<std::string, std::vector<Caveat>>& by_setting, std::string_view indent = "");

}  // namespace ringmark
