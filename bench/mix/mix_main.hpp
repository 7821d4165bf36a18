// The complete program ringmark-mix: how groups of ranks affect each other.
#pragma once

namespace ringmark::mix {

/// Returns the exit status, like bench_main.
int mix_main(int argc, const char* const* argv);

}  // namespace ringmark::mix
