// Calls in execution traces whose nodes have no attributes, as PyTorch wrote them before 2.4: they are read from the
// arguments of c10d's operators.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// A node's "inputs" or "outputs": newer schemas have them one level deeper. An empty list if there are none.
const nlohmann::json& values_in(const nlohmann::json& node, const char* key);

/// The call of a node that is one of c10d's operators or a record_param_comms; nothing if it cannot be understood.
std::optional<Call> call_of_operator(const nlohmann::json& node, Phase phase);

}  // namespace ringmark::replay
