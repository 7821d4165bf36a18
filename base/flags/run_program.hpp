// The outermost function of every program.
#pragma once

#include <functional>
#include <string_view>

namespace ringmark {

/// Flushes standard output. Throws std::runtime_error if output was lost, for example on a full disk.
void flush_output();

/// Runs a program and returns its exit status. An exception becomes a line on standard error and a status: 2 for
/// BadUsage, 4 for Unusable, 3 for all others. Lost output means status 3, whatever the program returned.
int run_program(std::string_view name, const std::function<int()>& program);

}  // namespace ringmark
