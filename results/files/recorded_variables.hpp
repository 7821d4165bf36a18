// The environment variables whose values are recorded with a run.
#pragma once

#include <string_view>

namespace ringmark {

/// True for a variable on a list of names that control this program, MPI, UCX, libfabric, OpenMP or NCCL. All others,
/// including new ones of these libraries, are never written to a file: their values could be secrets.
bool is_recorded_variable(std::string_view name);

}  // namespace ringmark
