// The command line of ringmark-link.
#pragma once

#include <optional>
#include <vector>

#include "bench/flags/pairs.hpp"
#include "bench/flags/run_options.hpp"
#include "results/schema/workload.hpp"

namespace ringmark {

struct LinkOptions : RunOptions {
  LinkOptions() {
    max_time = std::chrono::seconds(1);
    goes_on_without_lost_ranks = true;
  }

  std::vector<LinkTest> tests{LinkTest::latency, LinkTest::bandwidth};
  std::vector<std::size_t> latency_sizes{8}, bandwidth_sizes{1 << 20};
  PairChoice pairs;
  int most_at_once = 1'000'000;  ///< links
  std::vector<int> leaf_of;      ///< by rank; concurrent pairs that cross leaves share no leaf. Empty: they may
  int repeat_alone = 8;          ///< number of links to measure again, one at a time
  bool explain = false;
  bool time_is_given = false;  ///< max_time is the user's; otherwise it shrinks with the number of steps
};

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv);
/// Why this many ranks cannot be measured this way; empty if they can.
std::optional<Problem> problem_of(const LinkOptions& options, int ranks);
std::vector<FlagFacts> link_flags();

}  // namespace ringmark
