// Which series of a store a question is about.
#pragma once

#include <string>
#include <vector>

#include "history/store/query.hpp"

namespace ringmark::analysis {

/// Those that meet conditions such as size_bytes=1M..16M.
std::vector<history::Series> selected_series(std::vector<history::Series> all, const std::vector<std::string>& where);

}  // namespace ringmark::analysis
