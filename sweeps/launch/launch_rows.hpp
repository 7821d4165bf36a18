// Turns the files of a finished launch into rows: those that it wrote, and one for its failure.
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
  std::string failure;         ///< reason, worded the same for every failure of a kind; empty if it did not fail
  std::string account;         ///< how a failed launch ended, and the messages of its ranks or its launcher
  std::optional<LostProcess> lost_rank;  ///< named by the surviving ranks, or else by the launcher
};

/// The file next to a launch's table, to which its ranks append why they ended.
std::string failures_beside(const std::string& csv);
/// The flags that make a launch write both files. Removes what an earlier launch left there.
std::vector<std::string> words_for_files(const std::string& csv);

/// `csv` is the launch's own table, which may be missing; `planned` is the template for a row of its failure.
LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& planned);

/// The detail of the last row that failed; empty if none did.
std::string words_of_failure(const std::vector<Record>& rows);

/// The last lines that are not empty, joined.
std::string tail_of(const std::string& log);

}  // namespace ringmark::sweep
