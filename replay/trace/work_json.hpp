// The work of a computation as step traces write it.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json_lines.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

void add_work(const Event& event, nlohmann::ordered_json& json);

/// us, fl, by and ops of a computation of that kind. Refuses the current line if it has none of the first three, or an
/// operator that is not ["product", rows, columns, inner], ["attention", tokens, sequence, width, heads] with a window
/// behind them or without, or ["loss", tokens, vocabulary].
void read_work(const Json& json, const std::string& kind, const JsonLines& lines, Event& event);

}  // namespace ringmark::replay
