// Which setting to launch next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sweeps/sweep.hpp"
#include "sweeps/tune/space.hpp"

namespace ringmark::sweep {

/// A launch of a setting; no score if it failed.
struct Trial {
  std::size_t point;
  std::optional<double> score;
  bool is_given_up = false;  ///< the setting had failed too often, and is not launched any more
};

/// What a strategy proposes depends on the trials and the seed alone, whatever it was asked before, so that a search
/// that was interrupted goes on as if it had not been.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// A setting that was not given up; nothing if there is none left to launch.
  virtual std::optional<std::size_t> propose(const std::vector<Trial>& trials) = 0;
  /// The setting that looks best by now; nothing if none has a score.
  virtual std::optional<std::size_t> best(const std::vector<Trial>& trials) = 0;
};

/// `budget` is the number of launches that the search may have. `space` outlives the strategy.
std::unique_ptr<Strategy> make_strategy(Search search, const Space& space, std::uint64_t seed, int budget);

}  // namespace ringmark::sweep
