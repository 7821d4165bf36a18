// The order in which a pipeline stage runs its micro-batches, with its messages: 1F1B, and 1F1B interleaved over
// several model chunks of a stage. Pure arithmetic.
#pragma once

#include <string>
#include <vector>

namespace ringmark::replay::megatron {

struct Action {
  enum class Kind {
    forward,
    backward,
    messages,          ///< one launch, or one after another
    await,             ///< the message that the next forward or backward pass needs
    gather_weights,    ///< of a chunk, ahead of its first use
    reduce_gradients,  ///< of a chunk, after its last backward pass
  };
  struct Message {
    bool is_sent = false, is_to_next = false;  ///< is_to_next: to or from the next stage, else the one before

    bool operator==(const Message&) const = default;
  };

  Kind kind = Kind::forward;
  int chunk = 0, micro_batch = 0;
  bool is_first = false, is_last = false;  ///< of the chunk's micro-batches
  std::string name = {};                   ///< of messages, as Megatron's communicator calls it
  std::vector<Message> messages = {};
  bool is_joint = true;    ///< messages are one launch, for which the stage waits immediately
  bool is_forward = true;  ///< for await: the message is for the forward pass

  bool operator==(const Action&) const = default;
};

struct Pipeline {
  int stages = 1, chunks = 1, micro_batches = 1;
  int group = 0;                  ///< micro-batches that a chunk runs before the next one; 0: the number of stages
  bool overlaps_messages = true;  ///< only with several chunks per stage
};

/// The stage's actions from its first micro-batch to its last one. The caller decides where gradients are reduced
/// during computation, in the last passes of each chunk.
std::vector<Action> schedule_of(const Pipeline& pipeline, int stage);

}  // namespace ringmark::replay::megatron
