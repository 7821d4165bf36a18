// Chooses the algorithm for `auto`: the cheapest one on the measured link.
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

/// Costs of common Ethernet and processors, used if no link was measured.
constexpr LinkCost assumed_link{20, 1e-3, 1e-4};
/// The link cost to assume if only alpha / beta (in bytes) is known.
constexpr LinkCost link_of_crossover(std::size_t bytes) {
  auto link = assumed_link;
  link.alpha_us = static_cast<double>(bytes) * link.beta_us_per_byte;
  return link;
}

/// "a step takes 20 us plus 1 ns per byte"
std::string describe(const LinkCost& link);

/// Chooses by a cost model. The model ignores that flows share links and that ranks of a node are closer, so it never
/// chooses two_level, and another algorithm may turn out to be faster in a run (contenders).
class AlgorithmChoice {
 public:
  AlgorithmChoice(const Topology& topology, LinkCost link);

  struct Candidate {
    std::string_view algorithm;
    double time_us;
  };
  /// For an operation of total_bytes (layout_of), in the catalogue's order.
  std::vector<Candidate> candidates(Collective collective, std::size_t total_bytes) const;
  /// The cheapest algorithm; between nodes, an earlier one in the catalogue if it costs only slightly more, because the
  /// ring, which loads a network most evenly, comes first. Allocates only in the first call for each collective.
  std::string_view choose(Collective collective, std::size_t total_bytes) const;

  /// The algorithms that could be the fastest even if the model is wrong by a factor, in the catalogue's order: those
  /// within that factor of the cheapest, and two_level if nodes have several ranks.
  std::vector<Candidate> contenders(Collective collective, std::size_t total_bytes) const;

  /// Time of one algorithm of the catalogue, which must not be two_level.
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
  bool has_two_levels_;  ///< several nodes, and several ranks on one
  double tolerance_;     ///< an earlier algorithm may take this multiple of the shortest time
  LinkCost link_;
  mutable std::map<Collective, std::vector<Algorithm>> algorithms_;  ///< cache
};

}  // namespace ringmark
