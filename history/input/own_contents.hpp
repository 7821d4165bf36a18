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

/// True for a time that must come from a wrong clock. Questions look back from the latest launch, which it would be.
bool is_in_the_future(std::chrono::sys_seconds time);
/// True for a time before any of these results can have been measured, such as that of a clock without a battery.
bool is_in_the_distant_past(std::chrono::sys_seconds time);

/// Groups rows into launches by their run_id, in the order of first rows. `otherwise` is the time of rows that have
/// none. Rows of one run_id with a pause of more than longest_pause between them belong to different launches.
std::vector<Launch> launches_by_run(std::vector<StoredRow> rows, std::chrono::sys_seconds otherwise);

/// When the file was last modified.
std::chrono::sys_seconds when_changed(const std::string& file);

/// The files with results in the folder of a sweep or of acceptance, samples last; empty for other folders.
std::vector<std::string> files_of_run(const std::string& folder);

}  // namespace ringmark::history
