// The flags of nccl-tests 2.19.6 that have a different name here, or none.
#pragma once

#include "base/flags/flags.hpp"

namespace ringmark {

/// Accepts nccl-tests' spellings of our flags, and values that request what happens anyway, such as -g 1. Refuses all
/// other values and explains how to get the same effect here.
void declare_nccl_tests_flags(Flags& flags);

/// nccl-tests forms groups from environment variables. They would be ignored here, so refuses them unless --groups is
/// given.
void refuse_nccl_tests_groups(Flags& flags);

}  // namespace ringmark
