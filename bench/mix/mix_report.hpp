// The table that ringmark-mix prints.
#pragma once

#include <string>
#include <vector>

#include "bench/mix/group_result.hpp"

namespace ringmark::mix {

std::string in_words(const std::vector<GroupResult>& results);

}  // namespace ringmark::mix
