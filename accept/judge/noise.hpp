// How much healthy parts scatter: the yardstick for a part's loss.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "accept/fabric/fabric.hpp"

namespace ringmark::accept {

/// A part during the search: the pairs that no culprit explains yet, and their losses.
struct Suspect {
  const Part* part;
  std::vector<std::size_t> pairs;
  std::vector<double> series;
  double level = 0;
};

/// The scatter by kind of part, estimated from the parts and a prior for the usual scatter, as in a moderated t-test
/// (Smyth 2004).
class Noise {
 public:
  /// Requires a suspect with at least two rounds. A round whose loss (a logarithm) is above `slow_from` is slow.
  Noise(const std::vector<Suspect>& suspects, double slow_from);
  /// The level that a healthy part exceeds with this probability; also how far a lossy part stays below its loss.
  double margin(PartKind kind, double probability) const;
  /// The probability that a healthy part is disturbed in at least `slow_rounds` rounds.
  double probability_of(PartKind kind, std::size_t slow_rounds, std::size_t rounds) const;

 private:
  /// How the levels of healthy parts of a kind scatter.
  struct Scatter {
    double deviation;   ///< of a loss, a logarithm
    double freedom;     ///< of Student's distribution
    double slow_share;  ///< of rounds in which something else disturbs a healthy part
  };
  static constexpr double usual_deviation = 0.01;  ///< of the losses of healthy links, as logarithms
  static constexpr double usual_freedom = 8;
  static constexpr double usual_slow_share = 0.01;  ///< of the rounds of a healthy part
  static constexpr double usual_rounds = 100;       ///< the weight of the prior, in rounds
  std::map<PartKind, Scatter> scatter_;
};

}  // namespace ringmark::accept
