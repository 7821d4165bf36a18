// `ringmark-sweep tune-run`: turns a training run into a faster one, and verifies the gain.
#pragma once

#include <string>

#include "sweeps/file/overrides.hpp"

namespace ringmark::sweep {

/// Begins in `folder`, or continues the same run there. With `is_predicted` it launches nothing. Returns an exit
/// status; throws BadUsage, CannotGoOn, Interrupted or std::system_error.
int tune_run(const std::string& file, const std::string& folder, const Overrides& overrides, bool is_predicted);

/// True if tune_run has begun in the folder.
bool is_tuned_run(const std::string& folder);
/// Continues it; `here` may name other hosts.
int resume_tuned_run(const std::string& folder, const Overrides& here);

}  // namespace ringmark::sweep
