// Reads files for a store: Ringmark's own results, samples and verdicts, and what other tools print.
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
  /// When the results were measured that do not say so. Without it, when the file was last changed.
  std::optional<std::chrono::sys_seconds> date;
};

/// The files to add, in an order in which samples follow their rows. A folder stands for all files in it and below;
/// of a sweep's folder, and of acceptance's, only for those with results. `unreadable`
/// gets the reason for each folder that cannot be read. Throws BadUsage for a path that does not exist.
std::vector<std::string> files_to_add(const std::vector<std::string>& paths, std::vector<std::string>& unreadable);

/// Throws BadUsage if the file has no results that can be read.
Contents read_contents(const std::string& file, const InputOptions& options);

}  // namespace ringmark::history
