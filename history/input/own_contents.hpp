// Reads Ringmark's own files for a store: result rows, samples and verdicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/store/launch.hpp"

namespace ringmark::history {

/// The contents of a result CSV, of samples, or of a verdict.json; empty for a file of another kind. Throws BadUsage if
/// the file cannot be read.
std::optional<Contents> read_own_contents(const std::string& file);

/// True for a time that only a wrong clock gives. Questions look back from the latest launch, which such a one would
/// be.
bool is_in_the_future(std::chrono::sys_seconds time);
/// True for a time before any of these results can have been measured, as of a clock without a battery.
bool is_in_the_distant_past(std::chrono::sys_seconds time);

/// Launches of rows by their run_id, in the order of first rows. `otherwise` is when rows were measured that do not say
/// so. Rows of one run_id with a longer pause between them are of different launches.
std::vector<Launch> launches_by_run(std::vector<StoredRow> rows, std::chrono::sys_seconds otherwise);

/// When the file was last changed.
std::chrono::sys_seconds when_changed(const std::string& file);

/// The files with results in the folder of a sweep or of acceptance, samples last; empty for other folders.
std::vector<std::string> files_of_run(const std::string& folder);

}  // namespace ringmark::history
