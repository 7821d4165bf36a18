// The verdict on links from rounds of measurements: pass, fail or undecided, at stated rates of error.
//
// Each part of the fabric (host, leaf, link) is tested for a loss of rate, with the scatter that the rounds show. It
// fails if no healthy part would show its loss, and passes if a part with the loss that matters would show more.
// docs/method/acceptance.md explains it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "accept/fabric.hpp"

namespace ringmark::accept {

enum class Outcome { pass, fail, undecided };
std::string_view name(Outcome outcome);

struct ErrorRates {
  double false_alarm = 1e-3;  ///< that a healthy cluster fails
  double miss = 0.05;         ///< that a part with the loss passes
  double loss = 0.1;          ///< of the expected rate, which is to be found
};

/// A part that fails.
struct Culprit {
  Part part;
  double ratio;      ///< of its rate to the expected one
  double share = 1;  ///< of the connections through it, those that are slow
};

enum class Blame {
  any,      ///< any part may be to blame
  always,   ///< any part, but not one path of several that only some connections take
  uplinks,  ///< only the uplinks of a leaf
};

struct Verdict {
  Outcome outcome = Outcome::undecided;
  std::vector<Culprit> culprits;       ///< each explains the pairs that the ones before it do not
  std::vector<std::string> undecided;  ///< names of parts that need more rounds
  std::vector<std::string> suspects;   ///< those among them, but for links, whose loss is there unless by chance
  std::vector<Culprit> likely_paths;  ///< uplinks of leaves that some connections take: slow, or by chance in a hundred
  double expected_GBps = 0;           ///< given, or the rate of the pairs that no culprit explains
  double scatter = 0;                 ///< of a pair between rounds, as a part of its rate
};

/// No verdict comes from fewer rounds.
constexpr std::size_t fewest_rounds = 3;

/// All rounds have the same pairs in the same order. Without an expectation, pairs are held against the typical one;
/// where nothing passes in a round, there is none, and the outcome is undecided.
Verdict judge(const Fabric& fabric, const std::vector<Round>& rounds, const ErrorRates& rates,
              std::optional<double> expected_GBps, Blame blame = Blame::any);

}  // namespace ringmark::accept
