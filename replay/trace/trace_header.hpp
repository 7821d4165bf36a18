// The first line of a step trace: the facts of the step, and the streams, groups and channels that its events name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "base/input/json_lines.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Upper limit of a step's micro-steps.
constexpr int most_micro_steps = 1'000'000;

struct TraceHeader {
  StepTrace trace;                    ///< without events yet
  std::optional<std::size_t> events;  ///< the number of events in the file, if the header states it
};

/// The current line must be the header's. Throws BadUsage with its place and the field that is wrong.
TraceHeader read_trace_header(const Json& header, const JsonLines& lines);

inline const std::string& name_of(const std::string& stream) { return stream; }
inline const std::string& name_of(const Group& group) { return group.name; }
inline const std::string& name_of(const Channel& channel) { return channel.name; }
inline const std::string& name_of(const RankGroup& group) { return group.name; }

/// The index of a stream, group or channel of the header. Refuses the current line, whose `field` names it, if there is
/// none.
template <class List>
int index_of(const List& list, const std::string& name, const char* field, const JsonLines& lines) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (name_of(list[i]) == name) return static_cast<int>(i);
    names.push_back(name_of(list[i]));
  }
  lines.refuse("{}: '{}' is not in the header, which has {}", field, name, fmt::join(names, ", "));
}

}  // namespace ringmark::replay
