// Schedules whose ranks have an early and a late stage, which form a V: ZBV and DualPipeV. Backward passes are split in
// two where that fills a bubble.

#include <array>
#include <deque>

#include "replay/generate/torchtitan/passes.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using Kind = Action::Kind;

/// A rank's passes; `late` is 0 for its early stage and 1 for its late one.
class VShaped {
 public:
  VShaped(const Settings& settings, int rank)
      : micro_batches_(settings.micro_batches()), rank_(rank), ranks_(settings.sizes.pipeline) {
    const auto stages = stages_of(settings, rank);
    stages_ = {stages[0], stages[1]};
  }

 protected:
  Action next(Kind kind, int late) {
    auto& counts = counts_[static_cast<std::size_t>(late)];
    auto& count = kind == Kind::forward            ? counts.forward
                  : kind == Kind::backward_weights ? counts.weights
                                                   : counts.input;
    Action action{.kind = kind, .stage = stages_[static_cast<std::size_t>(late)], .micro_batch = count++};
    if (kind == Kind::backward) ++counts.weights;
    return action;
  }
  void add(Kind kind, int late) { order_.push_back({next(kind, late)}); }

  struct Counts {
    int forward = 0, input = 0, weights = 0;
  };

  int micro_batches_, rank_, ranks_;
  std::array<int, 2> stages_{};
  std::array<Counts, 2> counts_;
  std::vector<Turn> order_;
};

class Zbv : VShaped {
 public:
  using VShaped::VShaped;

  std::vector<Turn> run() {
    // With too few micro-batches to fill the pipeline, it runs as if it were full, without those that do not exist.
    const int full = std::max(2 * ranks_ - 1, micro_batches_);
    for (int i = 0; i < 2 * (ranks_ - rank_) - 1; ++i) add(Kind::forward, 0);
    for (int i = 0; i < rank_; ++i) {
      add(Kind::forward, 1);
      add(Kind::forward, 0);
    }
    for (int i = 0; i < ranks_ - rank_; ++i) {
      add(Kind::forward, 1);
      split_backward(1);
    }
    while (counts_[1].forward < counts_[0].forward || counts_[0].forward < full) {
      if (counts_[0].forward < full) add(Kind::forward, 0);
      split_backward(0);
      add(Kind::forward, 1);
      split_backward(1);
    }
    for (int i = 0; i < rank_; ++i) {
      add(Kind::backward_input, 0);
      add(Kind::backward_input, 1);
    }
    for (int i = 0; i < ranks_ - rank_; ++i) split_backward(0);
    for (const int late : {1, 0}) {
      const auto& counts = counts_[static_cast<std::size_t>(late)];
      while (counts.weights < counts.input) add(Kind::backward_weights, late);
    }
    std::erase_if(order_, [&](const Turn& turn) { return turn.front().micro_batch >= micro_batches_; });
    return std::move(order_);
  }

 private:
  void split_backward(int late) {
    add(Kind::backward_input, late);
    add(Kind::backward_weights, late);
  }
};

class DualPipe : VShaped {
 public:
  using VShaped::VShaped;

  std::vector<Turn> run() {
    const int behind = ranks_ - 1 - rank_;
    for (int i = 0; i < 2 * behind; ++i) add(Kind::forward, 0);
    for (int i = 0; i < rank_ + 1; ++i) {
      add(Kind::forward, 0);
      add(Kind::forward, 1);
    }
    for (int i = 0; i < behind; ++i) {
      backward(1, true);
      weights();
      add(Kind::forward, 1);
    }
    for (int i = 0; i < micro_batches_ - 2 * ranks_ + rank_ + 1; ++i) {
      if (i == 0 && behind == 0) {
        add(Kind::forward, 0);
        backward(1, false);
      } else {
        together(0, 1);
      }
      together(1, 0);
    }
    for (int i = 0; i < behind; ++i) {
      backward(1, false);
      together(1, 0);
    }
    drain(behind);
    return std::move(order_);
  }

 private:
  /// Ends the schedule with the last backward passes, the second half of which is split.
  void drain(int behind) {
    const int last = rank_ + 1;
    bool is_split = false;
    for (int i = 0; i < last; ++i) {
      is_split |= i == last / 2 && rank_ % 2 == 1;
      backward(1, is_split);
      is_split |= i == last / 2 && rank_ % 2 == 0;
      backward(0, is_split);
    }
    for (int i = 0; i < behind; ++i) {
      weights();
      backward(0, is_split);
    }
    for (int i = 0; i < last; ++i) weights();
  }

  void together(int forward_late, int backward_late) {
    auto forward = next(Kind::forward, forward_late);
    auto backward = next(Kind::backward, backward_late);
    order_.push_back({std::move(forward), std::move(backward)});
  }
  void backward(int late, bool is_split) {
    add(is_split ? Kind::backward_input : Kind::backward, late);
    if (is_split) pending_.push_back(order_.back().front());
  }
  /// Adds the part for weights of the oldest split backward pass.
  void weights() {
    if (pending_.empty()) return;
    auto action = pending_.front();
    pending_.pop_front();
    action.kind = Kind::backward_weights;
    order_.push_back({std::move(action)});
  }

  std::deque<Action> pending_;
};

}  // namespace

std::vector<Turn> zbv_passes(const Settings& settings, int rank) { return Zbv(settings, rank).run(); }
std::vector<Turn> dual_pipe_passes(const Settings& settings, int rank) { return DualPipe(settings, rank).run(); }

}  // namespace ringmark::replay::torchtitan
