// The command line of ringmark-link.
#pragma once

#include <vector>

#include "bench/harness/run_options.hpp"
#include "bench/link/link_measure.hpp"

namespace ringmark {

struct LinkOptions : RunOptions {
  std::vector<LinkTest> tests;
  std::vector<std::size_t> latency_sizes{8}, bandwidth_sizes{1 << 20};
  bool all_pairs = false;
};

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv);

}  // namespace ringmark
