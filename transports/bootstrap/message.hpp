// Length-prefixed messages over a stream socket between the ranks and the process that forked them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/system/deadline.hpp"

namespace ringmark {

enum class MessageKind : std::uint32_t { contribution = 1, everything, lost, finished };

struct Message {
  MessageKind kind;
  std::string bytes;
};

/// Throws std::system_error if the other end is gone.
void send_message(int fd, MessageKind kind, std::string_view bytes);
/// Empty if the other end closed, or the deadline passed.
std::optional<Message> receive_message(int fd, Deadline deadline);

}  // namespace ringmark
