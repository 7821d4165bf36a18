// Flags of training programs that people type from habit, each with its equivalent here.
#pragma once

#include <span>
#include <string_view>

#include "base/flags/flags.hpp"

namespace ringmark::replay {

/// Flags of one program that have the same meaning here, separated by blanks.
struct ForeignFlags {
  std::string_view program, names, remedy;
};
std::span<const ForeignFlags> foreign_flags();

/// Makes the refusal of Megatron-LM's, torchtitan's and Hugging Face's flags name the equivalent flag, or report what
/// is not modelled.
void hint_at_foreign_flags(Flags& flags);

}  // namespace ringmark::replay
