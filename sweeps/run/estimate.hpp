// Estimates how long a sweep will take, before it runs.
#pragma once

#include <optional>
#include <string>

#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"

namespace ringmark::sweep {

class Estimate {
 public:
  /// Adds a launch.
  void add(const Sweep& sweep, const Resolved& resolved, const Extent& extent);

  /// A clause: the estimate, the part of it that is a guess, and the upper bound from the deadlines. `measured` is the
  /// mean time of launches that were run, including their start and end, and replaces the guess.
  std::string in_words(std::optional<double> measured) const;

 private:
  int launches_ = 0;
  double measuring_s_ = 0, starting_s_ = 0, most_s_ = 0;
  bool is_timed_ = true;  ///< false if some launches have fixed iterations
};

/// The mean over the launches in a sweep's folder; empty if it has none.
std::optional<double> seconds_of_a_launch(const std::string& folder);

}  // namespace ringmark::sweep
