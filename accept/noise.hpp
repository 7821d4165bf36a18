// How healthy parts scatter, by which the loss of a part is judged.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "accept/fabric.hpp"

namespace ringmark::accept {

/// A part in the state of the search: the pairs that no culprit explains yet, and their losses.
struct Suspect {
  const Part* part;
  std::vector<std::size_t> pairs;
  std::vector<double> series;
  double level = 0;
};

/// The scatter by kind, from the parts themselves and from the usual scatter, as a moderated t-test takes it (Smyth
/// 2004).
class Noise {
 public:
  /// There is a suspect, and it has two rounds or more. A round with a loss (a logarithm) above `slow_from` is slow.
  Noise(const std::vector<Suspect>& suspects, double slow_from);
  /// The level that a healthy part exceeds with this probability, or as far below the loss.
  double margin(PartKind kind, double probability) const;
  /// The probability that a healthy part is disturbed in so many rounds or more.
  double probability_of(PartKind kind, std::size_t slow_rounds, std::size_t rounds) const;

 private:
  /// How far the levels of healthy parts of a kind scatter.
  struct Scatter {
    double deviation;   ///< of a loss, a logarithm
    double freedom;     ///< of Student's distribution
    double slow_share;  ///< of the rounds in which something else disturbs a healthy part
  };
  static constexpr double usual_deviation = 0.01;  ///< of the losses of healthy links, logarithms
  static constexpr double usual_freedom = 8;
  static constexpr double usual_slow_share = 0.01;  ///< of the rounds of a healthy part
  static constexpr double usual_rounds = 100;       ///< that this is worth
  std::map<PartKind, Scatter> scatter_;
};

}  // namespace ringmark::accept
