// The columns of replay/1 after those of the contract; README.md is their dictionary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

const std::vector<std::string>& replay_columns();

/// True for those that were measured; the others say what was replayed.
bool is_replay_figure(std::string_view column);

/// The flag of ringmark-replay that sets what the column tells; the column's own name if it is one, or none does.
std::string_view replay_flag(std::string_view column);

}  // namespace ringmark
