// Messages between two ranks in a recording, and the calls that they make together.
#pragma once

#include <optional>
#include <vector>

#include "replay/import/import.hpp"

namespace ringmark::replay {

struct Message {
  bool is_sent = false;
  int peer = 0;  ///< its number in the communicator
  std::uint64_t elements = 0;
  DataType type = DataType::float32;
};

/// The call that messages of one group amount to, recorded by `rank` (-1: unknown) of `ranks`: an all_to_all with
/// counts if they go to several ranks; a send_recv if they go to one neighbour or both. Nothing for other messages,
/// such as one to a distant rank.
std::optional<Call> call_of_messages(const std::vector<Message>& messages, int rank, int ranks);

/// A rank's number in a group; -1 if it is unknown, or the rank is not a member. `rank` is its number among all `ranks`
/// ranks (0: unknown). If the members are unknown, the number is known only in a group of all ranks.
int number_among(const std::vector<int>& members, int size, int ranks, int rank);

enum class MessageKind { send, receive };
/// Understands "send", "recv", "ncclSend" and the like; nothing for other calls.
std::optional<MessageKind> message_named(const std::string& name);

/// A message as a call, whose communicator is not set.
Call call_of(const Message& message, Phase phase);

/// Turns messages that were launched together into an all_to_all if they go to the rank itself or have more than two
/// peers.
void join_exchanges(Imported& imported);

/// Turns all messages into calls of all ranks, assuming that every rank does the same: a message represents one from
/// every rank to its neighbour. So the calls in which a rank only receives are left out if it also sends, since its
/// neighbour's message represents them. Other messages are counted as not understood.
void join_messages(Imported& imported);

}  // namespace ringmark::replay
