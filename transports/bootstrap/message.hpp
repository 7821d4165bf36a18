// Length-prefixed messages over a stream socket: between the ranks and the process that forked them, and between ranks
// that meet at a host and port.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/system/deadline.hpp"

namespace ringmark {

enum class MessageKind : std::uint32_t {
  contribution = 1,
  everything,
  lost,
  finished,
  greeting,
  join,
  accepted,
  refused
};

struct Message {
  MessageKind kind;
  std::string bytes;
};

/// Makes a connection that is idle for hours break within half a minute after the other end's host disappears.
void keep_alive(int fd);

/// For a socket that is not connected yet. Keeps its packets small enough for every path, even if a switch does not
/// support the jumbo frames of the hosts, so that the ranks can meet, and their measured connections reveal the
/// problem.
void keep_packets_small(int fd);

/// Throws std::system_error if the other end has disconnected.
void send_message(int fd, MessageKind kind, std::string_view bytes);
/// Empty if the other end closed, the deadline passed, or the message is longer than `most_bytes`.
std::optional<Message> receive_message(int fd, Deadline deadline, std::size_t most_bytes = SIZE_MAX);
/// The first message in bytes from an unknown peer, once it is complete. Throws TransportError if it would be longer
/// than `most_bytes`.
std::optional<Message> first_message(std::string_view bytes, std::size_t most_bytes);

}  // namespace ringmark
