// Chooses the next setting to launch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sweeps/file/sweep.hpp"
#include "sweeps/tune/space.hpp"

namespace ringmark::sweep {

/// A launch of a setting; no score if it failed.
struct Trial {
  std::size_t point;
  std::optional<double> score;
  bool is_given_up = false;  ///< the setting failed too often and is no longer launched
};

/// A proposal depends only on the trials and the seed, not on earlier calls, so that an interrupted search continues as
/// if nothing had happened.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Returns a setting that was not given up; empty if none is left to launch.
  virtual std::optional<std::size_t> propose(const std::vector<Trial>& trials) = 0;
  /// The best setting so far; empty if none has a score.
  virtual std::optional<std::size_t> best(const std::vector<Trial>& trials) = 0;
};

/// `budget` is the search's number of launches. `space` must outlive the strategy.
std::unique_ptr<Strategy> make_strategy(Search search, const Space& space, std::uint64_t seed, int budget);

}  // namespace ringmark::sweep
