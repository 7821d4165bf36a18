// Selects series of a store.
#pragma once

#include <string>
#include <vector>

#include "history/store/query.hpp"

namespace ringmark::analysis {

/// The series that meet all conditions, such as size_bytes=1M..16M.
std::vector<history::Series> selected_series(std::vector<history::Series> all, const std::vector<std::string>& where);

}  // namespace ringmark::analysis
