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

/// The call that messages of one group make, recorded by `rank` (-1: unknown) of `ranks`: an all_to_all if they go to
/// several ranks, with its counts; a send_recv if they go to a neighbour, or to both. Nothing for others, such as one
/// to a distant rank.
std::optional<Call> call_of_messages(const std::vector<Message>& messages, int rank, int ranks);

/// A rank's number in a group; -1 if it is unknown, or the rank is not a member. `rank` is its number among all `ranks`
/// ranks (0: unknown). Unknown members follow if the group has all ranks.
int number_among(const std::vector<int>& members, int size, int ranks, int rank);

enum class MessageKind { send, receive };
/// Understands "send", "recv", "ncclSend" and the like; nothing for other calls.
std::optional<MessageKind> message_named(const std::string& name);

/// A message as a call, whose communicator is not set.
Call call_of(const Message& message, Phase phase);

/// Messages that were launched together, to the rank itself or to more than two others, become an all_to_all.
void join_exchanges(Imported& imported);

/// All messages become calls of all ranks, if every rank does the same: a message stands for one of every rank to its
/// neighbour. So a rank that sends keeps none of the calls in which it only receives: its neighbour's message stands
/// for them. Other messages are counted as not understood.
void join_messages(Imported& imported);

}  // namespace ringmark::replay
