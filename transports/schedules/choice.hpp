// Which algorithm `auto` takes: the one that costs least on the link as it was measured.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation.hpp"
#include "transports/schedules/cost.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

/// Of Ethernet and processors as they are common, for when no link was measured.
constexpr LinkCost assumed_link{20, 1e-3, 1e-4};
/// That of which nothing but alpha / beta is known, in bytes.
constexpr LinkCost link_of_crossover(std::size_t bytes) {
  auto link = assumed_link;
  link.alpha_us = static_cast<double>(bytes) * link.beta_us_per_byte;
  return link;
}

/// "a step takes 20 us and 1 ns for each byte"
std::string describe(const LinkCost& link);

/// It sees neither that slices overlap nor that ranks of one node are closer; so two_level is never chosen.
class AlgorithmChoice {
 public:
  AlgorithmChoice(const Topology& topology, LinkCost link);

  struct Candidate {
    std::string_view algorithm;
    double time_us;
  };
  /// For an operation of total_bytes (layout_of), in the catalogue's order.
  std::vector<Candidate> candidates(Collective collective, std::size_t total_bytes) const;
  /// The cheapest; between nodes an earlier one of the catalogue that costs hardly more: the ring, which loads a
  /// network most evenly, comes first. Allocates nothing but the first time for each collective.
  std::string_view choose(Collective collective, std::size_t total_bytes) const;

  /// Of one algorithm of the catalogue but two_level.
  double time_us(Collective collective, std::string_view algorithm, std::size_t total_bytes) const;

  /// "recursive_doubling up to 32K, then ring".
  std::string crossovers(Collective collective) const;

 private:
  struct Algorithm {
    std::string_view name;
    Cost cost;
  };
  const std::vector<Algorithm>& algorithms(Collective collective) const;

  int ranks_;
  double tolerance_;  ///< the factor of the cheapest's time that an earlier one may cost
  LinkCost link_;
  mutable std::map<Collective, std::vector<Algorithm>> algorithms_;  ///< what was worked out so far
};

}  // namespace ringmark
