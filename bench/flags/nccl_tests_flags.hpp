// The flags of nccl-tests 2.19.6 that have another name here, or none.
#pragma once

#include "base/flags.hpp"

namespace ringmark {

/// Accepts other spellings of flags here and values that ask for what happens anyway, such as -g 1. Refuses all other
/// values with the way to get the same here.
void declare_nccl_tests_flags(Flags& flags);

/// nccl-tests runs groups by its variables, which would be ignored here: refuses them where --groups is not given.
void refuse_nccl_tests_groups(Flags& flags);

}  // namespace ringmark
