// Finds the calls of one step in a recording.
#pragma once

#include <optional>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// Where a step ends in a recording that repeats.
enum class StepEnd {
  before_pause,      ///< before the longest pause; the recording may begin anywhere in a step
  of_the_recording,  ///< for ranks that pause at different calls
};

/// Calls [begin, end) of a recording that repeats: the last whole round.
struct Round {
  std::size_t begin, end;
  std::size_t rounds;  ///< identical rounds at the end of the recording
};

/// Nothing unless the recording ends with at least three rounds.
std::optional<Round> last_round(const std::vector<Call>& calls, StepEnd end = StepEnd::before_pause);

/// The last of `rounds` identical rounds that end the recording, for the longest such round. Nothing if it does not end
/// with that many.
std::optional<Round> last_of_rounds(const std::vector<Call>& calls, std::size_t rounds);

/// Keeps one step's calls and adds a remark. `steps` is the user's number of steps (1: all calls); without it the
/// marked steps or the rounds decide. Throws BadUsage if the recording does not end with `steps` steps.
void keep_one_step(const std::string& file, Imported& imported, std::optional<int> steps,
                   StepEnd end = StepEnd::before_pause);

}  // namespace ringmark::replay
