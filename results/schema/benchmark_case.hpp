// The case that a row measured, in words, without its size.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "results/schema/record.hpp"

namespace ringmark {

/// "all_reduce float32 sum in place, batch, 4 ranks on 2 nodes", "bandwidth uint8 0->1", "all_reduce float32 sum, 2
/// ranks, ranks 0,2 of 0,2;1,3". Nodes are omitted if each rank has its own. `cell` returns the row's value for a
/// column or a key of `settings`, empty if the row has none.
std::string case_in_words(const std::function<std::string(const char* column)>& cell);

std::string case_of(const Record& row);

/// True if case_of or the row's size already shows the value of this flag of a measuring program, so a name need not
/// repeat it.
bool is_in_case(std::string_view flag);

}  // namespace ringmark
