// The table that ringmark-mix prints.
#pragma once

#include <string>
#include <vector>

#include "bench/mix/mix_session.hpp"

namespace ringmark::mix {

std::string in_words(const std::vector<GroupResult>& results);

}  // namespace ringmark::mix
