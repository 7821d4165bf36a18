// The complete program ringmark-link: latency and bandwidth of one pair of ranks or of all pairs.
#pragma once

namespace ringmark {

/// Returns the exit status, like bench_main.
int link_main(int argc, const char* const* argv);

}  // namespace ringmark
