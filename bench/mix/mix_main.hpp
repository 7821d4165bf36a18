// ringmark-mix, whole: what groups of ranks do to each other.
#pragma once

namespace ringmark::mix {

/// Returns the exit status, as bench_main does.
int mix_main(int argc, const char* const* argv);

}  // namespace ringmark::mix
