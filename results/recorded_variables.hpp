// The environment variables whose values are written down with a run.
#pragma once

#include <string_view>

namespace ringmark {

/// True for a variable on a list of names that steer this program, MPI, UCX, libfabric, OpenMP or NCCL. All others,
/// also new ones of these libraries, stay out of every file: their values could be secrets.
bool is_recorded_variable(std::string_view name);

}  // namespace ringmark
