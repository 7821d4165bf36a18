// A sender and a receiver to run on the lab's hosts. The test program is both, when it is started with --traffic.
#pragma once

#include <string>
#include <vector>

namespace ringmark::lab {

/// "receive PORT": takes one connection, reads it to its end, answers with one byte.
/// "send HOST PORT BYTES": sends, waits for the answer, and prints the nanoseconds this took as a line.
/// Returns the exit status.
int run_traffic(const std::vector<std::string>& arguments);

}  // namespace ringmark::lab
