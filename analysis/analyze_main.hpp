// ringmark-analyze: from results to decisions.
#pragma once

namespace ringmark::analysis {

/// Exit status: 0; 1 if something is slower than --fail-if-slower allows, or `job` found a problem; 2 bad usage, or
/// files that are not results; 3 a failure at run time, such as a full disk; 5 undecided.
int analyze_main(int argc, const char* const* argv);

}  // namespace ringmark::analysis
