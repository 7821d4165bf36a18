// Which rank each recording is of, and whether all ranks make the same calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// The rank in the name of a file: of "trace_rank_12", "dump.12", "et12.json" and "rank12.pt.trace.json"; nothing
/// without digits at the end or before the first dot.
std::optional<int> rank_of_file(const std::string& path);

/// The rank according to the recording itself; nothing if it does not show it.
std::optional<int> recorded_rank(const Imported& recording, int ranks);

/// The ranks of all recordings. If some do not show theirs and there is one for each rank, they follow from the numbers
/// in the file names, or else from the order of the files, as `notes` report. Nothing if a rank is unknown. Throws
/// BadUsage if two are the same.
std::optional<std::vector<int>> ranks_of(const std::vector<std::string>& names, const std::vector<Imported>& all,
                                         int ranks, std::vector<std::string>& notes);

/// Whether all ranks make the same calls, with messages to peers at the same distance.
bool are_alike(const std::vector<Imported>& all, const std::vector<int>& of_ranks, int ranks);

}  // namespace ringmark::replay
