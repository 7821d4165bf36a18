// The command line of ringmark-link.
#pragma once

#include <vector>

#include "bench/flags/run_options.hpp"
#include "results/workload.hpp"

namespace ringmark {

struct LinkOptions : RunOptions {
  LinkOptions() { max_time = std::chrono::seconds(1); }

  std::vector<LinkTest> tests{LinkTest::latency, LinkTest::bandwidth};
  std::vector<std::size_t> latency_sizes{8}, bandwidth_sizes{1 << 20};
  bool all_pairs = false;
};

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv);
std::vector<FlagFacts> link_flags();

}  // namespace ringmark
