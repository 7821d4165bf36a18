// One run of a sweep: a process starts the launches that the sweep's folder lacks, and shows the answer.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "sweeps/file/checked_sweep.hpp"
#include "sweeps/nodes/nodes.hpp"
#include "sweeps/run/folder.hpp"
#include "sweeps/tune/tuner.hpp"

namespace ringmark::sweep {

/// True if no launch is left to run.
bool is_complete(const CheckedSweep& checked, const Folder& folder);

/// The most time that the next launch may take, including its start; empty: no limit. Throws to stop the sweep, which
/// keeps its finished launches.
using LaunchLimit = std::function<std::optional<std::chrono::milliseconds>()>;

/// Runs the launches that the folder's command ("run" or "tune") still lacks, if any, and returns what a search found;
/// empty for "run". The manifest gets an entry for every call. Throws CannotGoOn, Interrupted, std::system_error, or
/// what `limit` throws.
std::optional<Outcome> run_launches(const CheckedSweep& checked, Folder& folder, Nodes* nodes = nullptr,
                                    const LaunchLimit& limit = {});

/// All rows of the folder's finished launches.
std::vector<Record> rows_of(const Folder& folder);

/// Calls run_launches and shows the answer. Returns an exit status.
int run_sweep(const CheckedSweep& checked, Folder& folder, Nodes* nodes = nullptr);

}  // namespace ringmark::sweep
