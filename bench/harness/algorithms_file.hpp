// The file of --algorithm auto:FILE: what auto settled on, for the next run. JSON lines, one for each choice:
//   {"schema": "algorithms/1", "transport": "tcp", "collective": "all_reduce", "ranks": 8, "nodes": 8,
//    "size_bytes": 262144, "algorithm": "ring"}
// Of several lines for one operation the last one counts.
#pragma once

#include <string>
#include <string_view>

#include "base/transport.hpp"
#include "bench/flags/run_options.hpp"
#include "transports/schedules/chosen_algorithms.hpp"

namespace ringmark {

/// The text of the file, empty if it does not exist yet. Throws BadUsage if it cannot be read, or its folder is
/// missing.
std::string read_algorithms_file(const std::string& path);
/// The choices of a transport in such a text. Throws BadUsage, which begins with the path, for a line that is not one.
ChosenAlgorithms chosen_algorithms(const std::string& path, std::string_view text, Transport transport);
/// Throws BadUsage for a file of --algorithm that cannot be used.
void check_algorithms_file(const RunOptions& options);
/// Throws std::system_error, with the path, if the line cannot be written.
void append_to_algorithms_file(const std::string& path, Transport transport, const ChoiceKey& key,
                               std::string_view algorithm);

}  // namespace ringmark
