// What a swept variable, or a column beyond the contract's, says of a row.
#pragma once

#include <string_view>

namespace ringmark {

/// True for how something is done: what comparisons choose among. False for what was measured (ranks, sizes, a model),
/// and for what a replay only pretends (a scale of time, a straggler), by which nobody can choose. Other names are
/// choices.
bool is_choice(std::string_view column);

}  // namespace ringmark
