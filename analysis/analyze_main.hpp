// ringmark-analyze: from results to decisions.
#pragma once

namespace ringmark::analysis {

/// Exit status: 0; 1 if something is shown slower than --fail-if-slower allows; 2 bad usage, or files that are not
/// results; 3 a failure at run time, such as a full disk.
int analyze_main(int argc, const char* const* argv);

}  // namespace ringmark::analysis
