// The results of the stages, as values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "accept/criteria.hpp"
#include "accept/judge/verdict.hpp"
#include "accept/soak/soak_log.hpp"

namespace ringmark::accept {

struct Finding {
  std::string part;                ///< "host-2", "host-0 to host-3"
  std::vector<std::string> hosts;  ///< to take out of service; empty where the network between hosts is at fault
  std::string evidence;            ///< in words, with the numbers
  std::string look_at{};           ///< where to look for the cause
};

/// The rates of all pairs that a stage measured, as medians of its rounds.
struct PairMap {
  Fabric fabric;  ///< with the ends of the pairs
  Round rates;
};

struct StageResult {
  Stage stage;
  Outcome outcome;
  std::string summary{};            ///< one line
  std::vector<Finding> findings{};  ///< those that fail the stage
  std::vector<std::string> undecided{}, remarks{};
  std::size_t rounds = 0;  ///< number of rounds measured
  std::optional<PairMap> pairs{};

  /// The outcome that follows from the findings and the undecided parts.
  Outcome by_findings() const {
    return !findings.empty() ? Outcome::fail : !undecided.empty() ? Outcome::undecided : Outcome::pass;
  }
};

struct AcceptanceResult {
  Outcome outcome = Outcome::undecided;
  std::vector<StageResult> stages;  ///< those that ran, in order
  std::vector<Stage> left_out;      ///< because an earlier one failed or was undecided
  std::optional<SoakLog> soak{};
};

}  // namespace ringmark::accept
