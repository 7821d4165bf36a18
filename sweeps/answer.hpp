// The answer to a sweep's question: for each thing that was measured the default, the best setting, and the difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/comparison.hpp"
#include "results/record.hpp"
#include "sweeps/journal.hpp"
#include "sweeps/plan.hpp"

namespace ringmark::sweep {

struct MeasuredSetting {
  std::string name;              ///< "tcp.sockets=2 algorithm=unset"
  std::vector<double> times_us;  ///< of each launch
  /// Against the default; nothing for the default itself, and where the two cannot be compared.
  std::optional<Difference> difference;
  std::string refusal;  ///< why this setting is not compared with the default, although both were measured
};

/// The settings that were measured for one thing at one size. Ranks, sizes, types, operations, placements, models and
/// devices tell things apart; all other variables are settings to choose from.
struct MeasuredThing {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::vector<MeasuredSetting> settings;
  std::optional<std::size_t> default_setting;  ///< nothing if no launch measured it

  /// The setting that is shown faster than the default by the most; else the one with the smallest median.
  const MeasuredSetting& best() const;
};

struct Answer {
  std::string question, default_setting;
  std::vector<MeasuredThing> things;
  std::size_t time_sliced = 0;  ///< rows that say nothing about the network
};

/// `rows` are those of results.csv, `done` the journal's. Every setting of every thing is held against the default with
/// compare_launches, all in one call, as `ringmark-analyze compare --by configuration` does.
Answer answer(const Sweep& sweep, const Plan& plan, const std::vector<Record>& rows, const std::vector<Done>& done);

std::string in_words(const Answer& answer);

}  // namespace ringmark::sweep
