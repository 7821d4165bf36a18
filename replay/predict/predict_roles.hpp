// Predicts a step with roles, and prints it.
#pragma once

#include <string>
#include <vector>

#include "replay/flags/predict_options.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Throws BadUsage for options that are for steps without roles. Returns the exit status.
int predict_roles(const PredictOptions& options, const RoleTrace& trace, const std::vector<std::string>& notes);

}  // namespace ringmark::replay
