// Words that several questions print.
#pragma once

#include <string>
#include <vector>

#include "history/answers/chains.hpp"

namespace ringmark::history {

/// Each chain's case, with the settings by which it differs from others of these.
std::vector<std::string> names_of(const std::vector<Chain>& chains);

}  // namespace ringmark::history
