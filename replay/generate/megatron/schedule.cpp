#include "replay/generate/megatron/schedule.hpp"

#include <algorithm>

namespace ringmark::replay::megatron {
namespace {

using Kind = Action::Kind;

/// 1F1B: after one forward pass for each later stage, forward and backward passes alternate.
class OneChunk {
 public:
  OneChunk(const Pipeline& pipeline, int stage)
      : pipeline_(pipeline), is_first_(stage == 0), is_last_(stage + 1 == pipeline.stages) {
    ahead_ = std::min(pipeline.stages - stage - 1, pipeline.micro_batches);
  }

  std::vector<Action> run() {
    for (int micro_batch = 0; micro_batch < ahead_; ++micro_batch) {
      messages("recv_forward", {{false, false}});
      pass(Kind::forward, micro_batch);
      messages("send_forward", {{true, true}});
    }
    const int rest = pipeline_.micro_batches - ahead_;
    if (rest > 0) messages("recv_forward", {{false, false}});
    for (int at = 0; at < rest; ++at) {
      pass(Kind::forward, ahead_ + at);
      messages("send_forward_recv_backward", {{true, true}, {false, true}});
      pass(Kind::backward, at);
      if (at + 1 == rest) {
        messages("send_backward", {{true, false}});
      } else {
        messages("send_backward_recv_forward", {{true, false}, {false, false}});
      }
    }
    for (int micro_batch = rest; micro_batch < pipeline_.micro_batches; ++micro_batch) {
      messages("recv_backward", {{false, true}});
      pass(Kind::backward, micro_batch);
      messages("send_backward", {{true, false}});
    }
    actions_.push_back({.kind = Kind::reduce_gradients});
    return std::move(actions_);
  }

 private:
  void pass(Kind kind, int micro_batch) {
    actions_.push_back({.kind = kind,
                        .micro_batch = micro_batch,
                        .is_first = micro_batch == 0,
                        .is_last = micro_batch + 1 == pipeline_.micro_batches});
  }
  void messages(const char* name, std::vector<Action::Message> all) {
    std::erase_if(all, [&](const auto& each) { return each.is_to_next ? is_last_ : is_first_; });
    if (!all.empty()) actions_.push_back({.kind = Kind::messages, .name = name, .messages = std::move(all)});
  }

  const Pipeline& pipeline_;
  bool is_first_, is_last_;
  int ahead_ = 0;
  std::vector<Action> actions_;
};

/// Interleaved 1F1B. A turn is a micro-batch on one chunk. Forward turns take a group of micro-batches through the
/// chunks one by one, and backward turns do so from the last chunk.
class Interleaved {
 public:
  Interleaved(const Pipeline& pipeline, int stage) : pipeline_(pipeline), stage_(stage) {
    const int group = pipeline.group > 0 ? pipeline.group : pipeline.stages;
    for (int first = 0; first < pipeline.micro_batches; first += group) {
      for (int chunk = 0; chunk < pipeline.chunks; ++chunk) {
        for (int each = first; each < std::min(first + group, pipeline.micro_batches); ++each)
          turns_.push_back({chunk, each});
      }
    }
    total_ = static_cast<int>(turns_.size());
    ahead_ = std::min(total_, 2 * (pipeline.stages - stage - 1) + (pipeline.chunks - 1) * group);
  }

  std::vector<Action> run() {
    for (int chunk = 0; chunk < std::min(2, pipeline_.chunks); ++chunk) gather_weights(chunk);
    if (!is_first()) messages("recv_forward", {{false, false}});
    fill();
    alternate();
    drain();
    for (int chunk = 0; chunk < pipeline_.chunks; ++chunk) reduce_gradients(chunk);
    return std::move(actions_);
  }

 private:
  struct Turn {
    int chunk, micro_batch;
  };

  bool is_first() const { return stage_ == 0; }
  bool is_last() const { return stage_ + 1 == pipeline_.stages; }
  int chunk_of(int turn, bool is_forward) const {
    const int chunk = turns_[static_cast<std::size_t>(turn % total_)].chunk;
    return is_forward ? chunk : pipeline_.chunks - 1 - chunk;
  }
  bool is_of(int turn, int micro_batch) const {
    return turns_[static_cast<std::size_t>(turn)].micro_batch == micro_batch;
  }

  /// Whether the stage asks for a message after this turn.
  bool receives_after(int turn, bool is_forward) const {
    const bool is_leading = is_forward ? is_first() : is_last();
    if (!is_leading) return true;
    const int sent = turn - (pipeline_.stages - 1);  // the turn of the stage before this one in the ring
    return sent >= 0 && chunk_of(sent, is_forward) != (is_forward ? pipeline_.chunks - 1 : 0);
  }
  bool sends(int turn, bool is_forward) const {
    const bool is_end = is_forward ? is_last() : is_first();
    return !is_end || chunk_of(turn, is_forward) != (is_forward ? pipeline_.chunks - 1 : 0);
  }

  void fill() {
    const bool all_ahead = ahead_ == total_;
    for (int turn = 0; turn < ahead_; ++turn) {
      forward(turn);
      std::vector<Action::Message> forwards;
      if (sends(turn, true)) forwards.push_back({true, true});
      if (turn + 1 < total_ && receives_after(turn, true)) forwards.push_back({false, false});
      const bool asks_for_backward = turn + 1 == ahead_ && !all_ahead && !is_last();
      if (pipeline_.overlaps_messages || !asks_for_backward) {
        messages("send_forward_recv_forward", forwards);
        if (asks_for_backward) messages("send_backward_recv_backward", {{false, true}});
      } else {
        forwards.push_back({false, true});
        messages("send_forward_backward_recv_forward_backward", forwards);
      }
    }
  }

  void alternate() {
    for (int turn = 0; turn + ahead_ < total_; ++turn) {
      const int next = turn + ahead_;
      std::vector<Action::Message> forwards, backwards;
      if (sends(next, true)) forwards.push_back({true, true});
      if (next + 1 < total_ && receives_after(next, true)) forwards.push_back({false, false});
      if (sends(turn, false)) backwards.push_back({true, false});
      if (receives_after(turn, false)) backwards.push_back({false, true});
      forward(next);
      if (pipeline_.overlaps_messages) messages("send_forward_recv_forward", forwards);
      backward(turn);
      if (pipeline_.overlaps_messages) {
        messages("send_backward_recv_backward", backwards);
      } else {
        forwards.insert(forwards.end(), backwards.begin(), backwards.end());
        messages("send_forward_backward_recv_forward_backward", forwards);
      }
    }
  }

  void drain() {
    if (ahead_ == total_ && !is_last()) messages("recv_backward", {{false, true}});
    for (int turn = total_ - ahead_; turn < total_; ++turn) {
      backward(turn);
      std::vector<Action::Message> backwards;
      if (sends(turn, false)) backwards.push_back({true, false});
      if (turn + 1 < total_ && receives_after(turn, false)) backwards.push_back({false, true});
      messages("send_backward_recv_backward", backwards);
    }
  }

  /// To gather weights at the same time as the other stages, a stage looks ahead one turn for each stage before it.
  void forward(int turn) {
    const int ahead = turn + stage_;
    if (ahead < total_ && is_of(ahead, 0)) {
      const int chunk = chunk_of(ahead, true) + 1;
      if (chunk > 1 && chunk < pipeline_.chunks) gather_weights(chunk);
    }
    pass(Kind::forward, turn);
  }

  /// To reduce gradients at the same time as the other stages, a stage delays this by one turn for each stage before
  /// it.
  void backward(int turn) {
    pass(Kind::backward, turn);
    const int late = turn - stage_;
    if (late >= 0 && is_of(late, pipeline_.micro_batches - 1)) reduce_gradients(chunk_of(late, false));
  }

  void pass(Kind kind, int turn) {
    const bool is_forward = kind == Kind::forward;
    auto& owed = is_forward ? owed_forward_ : owed_backward_;
    if (owed > 0) actions_.push_back({.kind = Kind::await, .is_forward = is_forward});
    owed = std::max(0, owed - 1);
    const int micro_batch = turns_[static_cast<std::size_t>(turn)].micro_batch;
    actions_.push_back({.kind = kind,
                        .chunk = chunk_of(turn, is_forward),
                        .micro_batch = micro_batch,
                        .is_first = micro_batch == 0,
                        .is_last = micro_batch + 1 == pipeline_.micro_batches});
  }

  /// Adds messages in the order of Megatron's communicator: joint messages by neighbour; single messages in an order in
  /// which the sends of even stages meet the receives of odd ones, and vice versa.
  void messages(const char* name, std::vector<Action::Message> all) {
    if (all.empty()) return;
    const bool is_even = stage_ % 2 == 0, is_joint = !pipeline_.overlaps_messages;
    const auto place = [&](const Action::Message& each) {
      if (is_joint) return 2 * int{each.is_to_next} + int{!each.is_sent};
      const int by_even = each.is_sent ? (each.is_to_next ? 0 : 2) : (each.is_to_next ? 3 : 1);
      const int by_odd = each.is_sent ? (each.is_to_next ? 1 : 3) : (each.is_to_next ? 2 : 0);
      return is_even ? by_even : by_odd;
    };
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    if (!is_joint) {
      for (const auto& each : all) {
        if (!each.is_sent) ++(each.is_to_next ? owed_backward_ : owed_forward_);
      }
    }
    actions_.push_back({.kind = Kind::messages, .name = name, .messages = std::move(all), .is_joint = is_joint});
  }

  void gather_weights(int chunk) { actions_.push_back({.kind = Kind::gather_weights, .chunk = chunk}); }
  void reduce_gradients(int chunk) {
    if (std::find(reduced_.begin(), reduced_.end(), chunk) != reduced_.end()) return;
    reduced_.push_back(chunk);
    actions_.push_back({.kind = Kind::reduce_gradients, .chunk = chunk});
  }

  const Pipeline& pipeline_;
  int stage_, total_ = 0, ahead_ = 0;
  std::vector<Turn> turns_;                   ///< of the forward pass
  int owed_forward_ = 0, owed_backward_ = 0;  ///< messages that were asked for, but not waited for yet
  std::vector<int> reduced_;
  std::vector<Action> actions_;
};

}  // namespace

std::vector<Action> schedule_of(const Pipeline& pipeline, int stage) {
  if (pipeline.chunks == 1) return OneChunk(pipeline, stage).run();
  return Interleaved(pipeline, stage).run();
}

}  // namespace ringmark::replay::megatron
