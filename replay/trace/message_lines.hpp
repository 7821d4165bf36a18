// The lines on which messages of a step with roles travel, each from one rank to another.
#pragma once

#include <compare>
#include <map>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

struct MessageLine {
  int group = 0, sender = 0, receiver = 0;

  auto operator<=>(const MessageLine&) const = default;
};

/// True for a message to another rank; one to itself takes no line.
bool takes_line(const RoleTrace& trace, const Event& event);
/// The line that a message of this rank takes.
MessageLine line_of(const Event& message, int rank);

/// Lines in rounds. A rank is on at most one line of a round, so the pairs of a round do not overlap.
struct LineRounds {
  std::map<MessageLine, int> round_of;
  int rounds = 0;
};

/// All lines of the step. Throws BadUsage if a role does not receive exactly the messages that its peer sends.
LineRounds lines_of(const RoleTrace& trace);

}  // namespace ringmark::replay
