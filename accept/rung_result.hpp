// The results of the rungs, as values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "accept/criteria.hpp"
#include "accept/soak_log.hpp"
#include "accept/verdict.hpp"

namespace ringmark::accept {

struct Finding {
  std::string part;                ///< "host-2", "host-0 to host-3"
  std::vector<std::string> hosts;  ///< to take out of service; none where the network between hosts is to blame
  std::string evidence;            ///< in words, with the figures
  std::string look_at{};           ///< where the cause is to be looked for
};

/// The rates of all pairs that a rung measured, the medians of its rounds.
struct PairMap {
  Fabric fabric;  ///< whose ends the pairs have
  Round rates;
};

struct RungResult {
  Rung rung;
  Outcome outcome;
  std::string summary{};            ///< in a line
  std::vector<Finding> findings{};  ///< that make it fail
  std::vector<std::string> undecided{}, remarks{};
  std::size_t rounds = 0;  ///< of measuring
  std::optional<PairMap> pairs{};

  /// By its findings and undecided parts.
  Outcome by_findings() const {
    return !findings.empty() ? Outcome::fail : !undecided.empty() ? Outcome::undecided : Outcome::pass;
  }
};

struct LadderResult {
  Outcome outcome = Outcome::undecided;
  std::vector<RungResult> rungs;  ///< those that were climbed, in order
  std::vector<Rung> left_out;     ///< because one below failed, or could not be decided
  std::optional<SoakLog> soak{};
};

}  // namespace ringmark::accept
