#include "results/column_kinds.hpp"

#include <algorithm>
#include <array>

namespace ringmark {
namespace {

constexpr std::array things{"program",   "ranks",       "ranks_per_node", "sizes",    "min-bytes",
                            "max-bytes", "step-factor", "step-bytes",     "datatype", "op",
                            "in-place",  "timing",      "test",           "pairs",    "src",
                            "dst",       "model",       "sequence",       "device",   "dtype"};
constexpr std::array pretences{"scale-compute", "compute_scale", "scale-sizes", "size_scale",
                               "slow-down",     "slow_down",     "forward-ms",  "backward-ms",
                               "step-ms",       "compute",       "compute_used"};

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_choice(std::string_view column) { return !has(things, column) && !has(pretences, column); }

}  // namespace ringmark
