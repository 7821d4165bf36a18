// An operator as step traces write it: a list of its kind and its lengths.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "replay/trace/operator.hpp"

namespace ringmark::replay {

/// ["product", rows, columns, inner], ["attention", tokens, sequence, width, heads] with a window behind them or
/// without, or ["loss", tokens, vocabulary]; nothing if the list is none of these.
std::optional<Operator> read_operator(const nlohmann::json& list);

}  // namespace ringmark::replay
