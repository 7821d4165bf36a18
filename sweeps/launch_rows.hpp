// What a launch left behind, as rows: its own, and one that says how it failed if it did.
#pragma once

#include <string>
#include <vector>

#include "results/record.hpp"
#include "sweeps/process_group.hpp"

namespace ringmark::sweep {

struct LaunchRows {
  std::vector<Record> rows;
  Status status = Status::ok;  ///< the worst of the rows
  std::string failure;         ///< how the launch failed, in the same words for the same way; empty if it did not
};

/// `csv` is the launch's own table, which may be missing, and `planned` what a row of its failure is made of.
LaunchRows read_launch(const std::string& csv, const Ending& ending, const CommandRun& run, const Record& planned);

/// The last lines that say something, in one.
std::string tail_of(const std::string& log);

}  // namespace ringmark::sweep
