// The file of --algorithm auto:FILE keeps the choices of auto for the next run. JSON lines, one per choice:
//   {"schema": "algorithms/1", "transport": "tcp", "collective": "all_reduce", "ranks": 8, "nodes": 8,
//    "size_bytes": 262144, "algorithm": "ring"}
// If an operation has several lines, the last one counts.
#pragma once

#include <string>
#include <string_view>

#include "base/transport.hpp"
#include "bench/flags/run_options.hpp"
#include "transports/schedules/chosen_algorithms.hpp"

namespace ringmark {

/// The text of the file, empty if it does not exist yet. Throws BadUsage if it cannot be read or its folder is missing.
std::string read_algorithms_file(const std::string& path);
/// The choices for a transport in the text of such a file. A last line that lacks its line end is ignored if it looks
/// like a choice that a killed writer left incomplete. Throws BadUsage, with a message that begins with the path, for
/// any other line that is not a choice.
ChosenAlgorithms chosen_algorithms(const std::string& path, std::string_view text, Transport transport);
/// Throws BadUsage if the file of --algorithm cannot be used.
void check_algorithms_file(const RunOptions& options);
/// Throws std::system_error, with the path, if the line cannot be written.
void append_to_algorithms_file(const std::string& path, Transport transport, const ChoiceKey& key,
                               std::string_view algorithm);

}  // namespace ringmark
