// The files of a command line as the sides of a comparison: a file, a folder, or a pattern.
#pragma once

#include <string>
#include <vector>

namespace ringmark::analysis {

struct Side {
  std::string name;                ///< the column `file` of its rows; empty for the file itself
  std::vector<std::string> files;  ///< in order
  bool is_folder = false;          ///< may contain other files too
  bool is_sweep = false;           ///< the folder of a sweep
};

/// A folder with a results.csv is a sweep's. The files of any other folder, or of a pattern ("before/*.log"), are
/// launches of one side. Files from several folders, with more than one from some folder, are the launches of their
/// folders. Throws BadUsage for a folder without a file, and for a pattern that no file matches.
std::vector<Side> sides_of(const std::vector<std::string>& paths);

}  // namespace ringmark::analysis
