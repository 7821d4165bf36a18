// The search for the best setting, and the verification that it is better than the default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/schema/caveat.hpp"
#include "results/statistics/comparison.hpp"
#include "sweeps/tune/strategy.hpp"

namespace ringmark::sweep {

struct Outcome {
  std::vector<Trial> trials;          ///< the search's, in order
  std::optional<std::size_t> winner;  ///< the search's best point; none if no launch had a score
  // The verification's.
  std::vector<double> winner_scores, default_scores;
  int winner_failures = 0, default_failures = 0;
  std::vector<Caveat> caveats;           ///< of the rows of the winner and of the default
  std::optional<Difference> difference;  ///< none if the winner is the default, or if one of the two has no score
};

enum class Phase { search, verification };

/// Launches a setting.
using Evaluate = std::function<Trial(Phase phase, std::size_t point)>;

/// The trials that earlier runs of this sweep launched.
struct Past {
  std::vector<Trial> search, verification;
};

/// Searches, then launches the winner and the default in turn, as often as `tuning` says. `seconds` returns the time
/// that all launches have taken so far, for a budget of time.
Outcome tune(const Tuning& tuning, const Space& space, std::uint64_t seed, const Past& past, const Evaluate& evaluate,
             const std::function<double()>& seconds);

/// True if the winner was shown to be faster than the default by rows without a caveat that forbids it, and fails no
/// more often.
bool is_better(const Outcome& outcome);

/// The conclusion, in a sentence or two.
std::string verdict(const Outcome& outcome, const Sweep& sweep, const Plan& plan);

/// Every setting that was tried, best first: its mean, launches and failures, as CSV.
std::string tried_table(const Outcome& outcome, const Sweep& sweep, const Plan& plan);

}  // namespace ringmark::sweep
