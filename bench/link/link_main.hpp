// ringmark-link, whole: latency and bandwidth of one pair of ranks or of all.
#pragma once

namespace ringmark {

/// Returns the exit status, as bench_main does.
int link_main(int argc, const char* const* argv);

}  // namespace ringmark
