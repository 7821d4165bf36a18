// Messages between two ranks in a recording, as the calls of a step trace, which are the same for all ranks.
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
/// several ranks, with its counts; a send_recv if they go to a neighbour, or to both. Nothing for other ones, such as
/// one to a rank afar.
std::optional<Call> call_of_messages(const std::vector<Message>& messages, int rank, int ranks);

/// A rank's number in a group; -1 if it is unknown, or the rank is no member. `rank` is its number among all `ranks`
/// ranks (0: unknown). Unknown members are known where the group has all ranks.
int number_among(const std::vector<int>& members, int size, int ranks, int rank);

enum class MessageKind { send, receive };
/// Understands "send", "recv", "ncclSend" and the like; nothing for other calls.
std::optional<MessageKind> message_named(const std::string& name);

/// A message stands for one of every rank to its neighbour. So a rank that sends keeps none of the calls in which it
/// only receives: its neighbour's message stands for them.
void leave_out_counterparts(Imported& imported);

}  // namespace ringmark::replay
