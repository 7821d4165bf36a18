// Reads files for a store: Ringmark's own results, samples and verdicts, and the output of other tools.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "history/store/launch.hpp"

namespace ringmark::history {

struct InputOptions {
  analysis::ReadOptions foreign;
  /// When results without a time were measured. If empty, the file's modification time is used.
  std::optional<std::chrono::sys_seconds> date;
};

/// The files to add, in an order in which samples follow their rows. A folder stands for all files in it and below, but
/// the folder of a sweep or of acceptance only for those with results. `unreadable` gets the reason for each path that
/// does not exist, cannot be read, or is a folder without files.
std::vector<std::string> files_to_add(const std::vector<std::string>& paths, std::vector<std::string>& unreadable);

/// Throws BadUsage if the file has no results that can be read.
Contents read_contents(const std::string& file, const InputOptions& options);

}  // namespace ringmark::history
