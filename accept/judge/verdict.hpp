// The verdict on links from rounds of measurements: pass, fail or undecided, at stated rates of error.
//
// Each part of the fabric (host, leaf, link) is tested for a loss of rate, given the scatter that the rounds show. It
// fails if no healthy part would show such a loss, and passes if a part with the loss that matters would show more.
// docs/method/acceptance.md explains it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "accept/fabric/fabric.hpp"
#include "results/schema/acceptance_outcome.hpp"

namespace ringmark::accept {

using Outcome = AcceptanceOutcome;

struct ErrorRates {
  double false_alarm = 1e-3;  ///< probability that a healthy cluster fails
  double miss = 0.05;         ///< probability that a part with the loss passes
  double loss = 0.1;          ///< the loss to find, as a fraction of the expected rate
};

/// A part that fails.
struct Culprit {
  Part part;
  double ratio;      ///< measured over expected rate
  double share = 1;  ///< the fraction of the connections through it that are slow
};

enum class Blame {
  any,      ///< any part may be to blame
  always,   ///< any part, but not one path of several that only some connections take
  uplinks,  ///< only the uplinks of a leaf
};

struct Verdict {
  Outcome outcome = Outcome::undecided;
  std::vector<Culprit> culprits;       ///< each explains pairs that the ones before it do not
  std::vector<std::string> undecided;  ///< names of parts that need more rounds
  std::vector<std::string> suspects;   ///< those of `undecided`, except links, whose loss is probably real
  std::vector<Culprit>
      likely_paths;          ///< uplinks of leaves that some connections take: slow, with a 1 % chance of a false alarm
  double expected_GBps = 0;  ///< given, or the rate of the pairs that no culprit explains
  double scatter = 0;        ///< of a pair between rounds, as a fraction of its rate
};

/// No verdict is reached with fewer rounds.
constexpr std::size_t fewest_rounds = 3;

/// All rounds have the same pairs in the same order. Without an expectation, pairs are compared with the typical one;
/// if nothing passes in some round, no typical pair exists and the outcome is undecided.
Verdict judge(const Fabric& fabric, const std::vector<Round>& rounds, const ErrorRates& rates,
              std::optional<double> expected_GBps, Blame blame = Blame::any);

}  // namespace ringmark::accept
