// NCCL's names of collectives, as NCCL_ALGO and the tuner's file spell them.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace ringmark {

/// The collectives whose algorithm can be chosen.
constexpr std::array<std::string_view, 5> nccl_functions{"broadcast", "reduce", "allgather", "reducescatter",
                                                         "allreduce"};

/// NCCL's name for a collective, spelled as in columns ("all_reduce") or programs ("all-reduce"); empty if it has none.
inline std::string nccl_function(std::string_view collective) {
  std::string name(collective);
  std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
  return std::find(nccl_functions.begin(), nccl_functions.end(), name) == nccl_functions.end() ? "" : name;
}

}  // namespace ringmark
