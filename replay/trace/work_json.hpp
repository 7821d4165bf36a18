// The work of a computation, and the unequal parts of an all_to_all, as step traces write them.
#pragma once

#include <nlohmann/json.hpp>

#include "base/input/json_lines.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

void add_work(const Event& event, nlohmann::ordered_json& json);

/// us, fl, by and ops of a computation of that kind. Refuses the current line if it has none of the first three, or an
/// operator that is not ["product", rows, columns, inner], ["attention", tokens, sequence, width, heads] optionally
/// followed by a window, or ["loss", tokens, vocabulary].
void read_work(const Json& json, const std::string& kind, const JsonLines& lines, Event& event);

/// The counts of an all_to_all among `group_ranks` ranks; refuses the current line for anything else.
void read_counts(const Json& json, int group_ranks, const JsonLines& lines, Event& event);

}  // namespace ringmark::replay
