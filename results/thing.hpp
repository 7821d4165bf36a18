// The thing that a row measured, in words, without its size.
#pragma once

#include <string>
#include <string_view>

#include "results/record.hpp"

namespace ringmark {

struct Thing {
  std::string_view collective, datatype, op;
  bool is_link = false;
  std::string_view source, destination;  ///< of a link
  bool is_in_place = false;
  bool is_batch = false;
  bool has_agreed_start = false;
  int ranks = 0, nodes = 0;  ///< 0: unknown
  /// The group of ranks, as `settings` has it; empty where all ranks ran one operation.
  std::string_view groups{}, group{}, members{}, beside{};
};

/// "all_reduce float32 sum in place, batch, 4 ranks on 2 nodes", "bandwidth uint8 0->1", "all_reduce float32 sum, 2
/// ranks, ranks 0,2 of 0,2;1,3". The nodes are left out if each rank has its own.
std::string in_words(const Thing& thing);

std::string thing_of(const Record& row);

/// True if thing_of or the row's size gives the value of this flag of a measuring program, so that a name need not
/// repeat it.
bool is_in_thing(std::string_view flag);

}  // namespace ringmark
