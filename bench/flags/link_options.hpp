// The command line of ringmark-link.
#pragma once

#include <optional>
#include <vector>

#include "bench/flags/pairs.hpp"
#include "bench/flags/run_options.hpp"
#include "results/workload.hpp"

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
  std::vector<int> leaf_of;      ///< by rank: pairs of a step that cross share no leaf; empty if they may
  int repeat_alone = 8;          ///< links that are measured again, alone
  bool explain = false;
  bool time_is_given = false;  ///< max_time is the user's; if not, many steps take less each
};

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv);
/// The reason why so many ranks cannot be measured so; nothing if they can.
std::optional<Problem> problem_of(const LinkOptions& options, int ranks);
std::vector<FlagFacts> link_flags();

}  // namespace ringmark
