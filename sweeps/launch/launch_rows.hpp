// Turns a launch's remains into rows: its own rows, and one for its failure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/schema/record.hpp"
#include "sweeps/launch/launcher_words.hpp"
#include "sweeps/launch/process_group.hpp"

namespace ringmark::sweep {

struct LaunchRows {
  std::vector<Record> rows;
  Status status = Status::ok;  ///< the worst of the rows
  std::string failure;         ///< reason, with the same words for the same kind of failure; empty: it did not fail
  std::string account;         ///< of a failure: how the launch ended, and the words of its ranks or its launcher
  std::optional<LostProcess> lost_rank;  ///< named by the ranks that were left, or else by the launcher
};

/// The file beside a launch's table to which its ranks append what ended them.
std::string failures_beside(const std::string& csv);
/// The words by which a launch writes both. Removes what a launch before left there.
std::vector<std::string> words_for_files(const std::string& csv);

/// `csv` is the launch's own table, which may be missing; `planned` is the template for a row of its failure.
LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& planned);

/// The detail of the last row that failed; empty without any.
std::string words_of_failure(const std::vector<Record>& rows);

/// The last lines that are not empty, joined.
std::string tail_of(const std::string& log);

}  // namespace ringmark::sweep
