// The losses that rounds of measurements show, before any part is blamed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "accept/fabric/fabric.hpp"

namespace ringmark::accept {

/// The standard deviation of a normal distribution with the values' median distance from `centre`. `values` must not be
/// empty.
double spread(std::vector<double> values, double centre);
/// The number of values above the limit.
std::size_t count_above(const std::vector<double>& values, double limit);

/// Logarithms of expected over measured rate, by pair and round. 0 means as expected.
class Losses {
 public:
  /// Without an expectation, it is the median of the pairs whose loss is below half of `loss`, which is a logarithm
  /// too. All rounds have the same pairs.
  Losses(const std::vector<Round>& rounds, double loss, std::optional<double> expected_GBps);

  /// 0 if none was given and in one of the rounds nothing got through; the losses are meaningless then.
  double expected_GBps() const { return expected_GBps_; }
  double at(std::size_t pair, std::size_t round) const { return by_pair_[pair][round]; }
  std::size_t rounds() const { return by_pair_.front().size(); }
  /// The median of the rounds.
  double of_pair(std::size_t pair) const;
  /// The median of the pairs in each round.
  std::vector<double> of_pairs(const std::vector<std::size_t>& pairs) const;
  /// How much a typical pair scatters between rounds.
  double scatter() const;

 private:
  std::vector<std::vector<double>> by_pair_;
  double expected_GBps_ = 0;
};

}  // namespace ringmark::accept
