// Which of a recording's calls are one step.
#pragma once

#include <optional>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// Calls [begin, end) of a recording that goes round: the last whole round.
struct Round {
  std::size_t begin, end;
  std::size_t rounds;  ///< that the recording ends with
};

/// Begun where the pause was longest. Nothing if the calls do not come again at least three times at the end.
std::optional<Round> last_round(const std::vector<Call>& calls);

/// The last of so many rounds, the longest that the recording ends with. Nothing if it does not.
std::optional<Round> last_of_rounds(const std::vector<Call>& calls, std::size_t rounds);

/// Keeps one step's calls, and remarks it. Of `told` steps, if a person says how many there are (1: all calls);
/// otherwise of those that the recording marks, or that it goes through. Throws BadUsage if there are not as many as
/// told.
void keep_one_step(const std::string& file, Imported& imported, std::optional<int> told);

}  // namespace ringmark::replay
