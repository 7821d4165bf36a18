// What each rank of a pipeline does in an accumulation step, in PyTorch's schedules. Pure arithmetic.
#pragma once

#include <vector>

#include "replay/generate/torchtitan/settings.hpp"

namespace ringmark::replay::torchtitan {

struct Action {
  enum class Kind {
    forward,
    backward,
    backward_input,    ///< only the gradients of the stage's input
    backward_weights,  ///< the rest of that backward pass
    unshard,           ///< gathers a stage's weights ahead
    reshard,
    reduce_gradients,  ///< after a stage's last backward pass
    messages,
  };
  struct Message {
    bool is_sent = false, is_forward = true;
    int stage = 0;  ///< of this rank

    bool operator==(const Message&) const = default;
  };

  Kind kind = Kind::forward;
  int stage = 0, micro_batch = 0;
  std::vector<Message> messages = {};  ///< launched together

  bool is_pass() const { return kind <= Kind::backward_weights; }
  bool operator==(const Action&) const = default;
};

/// Actions that run as one: a forward pass alongside a backward one, or a single pass.
using Turn = std::vector<Action>;

/// The passes of one rank in order, for schedules with several stages per rank.
std::vector<Turn> passes_of(const Settings& settings, int rank);

/// The actions of each rank, with messages. With several stages per rank, also actions that gather weights ahead and
/// free them.
std::vector<std::vector<Action>> schedule_of(const Settings& settings);

}  // namespace ringmark::replay::torchtitan
