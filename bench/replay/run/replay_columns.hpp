// The columns of replay/1 after those of the contract; results/README.md is their dictionary.
#pragma once

#include <string>
#include <vector>

namespace ringmark::replay {

const std::vector<std::string>& replay_columns();

}  // namespace ringmark::replay
