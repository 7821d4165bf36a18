// Schedules whose stages cycle through the ranks: interleaved 1F1B, its zero-bubble form, and breadth-first.

#include <map>

#include "replay/generate/torchtitan/passes.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using Kind = Action::Kind;

/// Forward turns take a round of micro-batches through the rank's stages one by one, and backward turns do so from the
/// last stage. After the turns that fill the pipeline, forward and backward passes alternate.
class Interleaved {
 public:
  Interleaved(const Settings& settings, int rank)
      : rank_(rank),
        ranks_(settings.sizes.pipeline),
        stages_(settings.stages_of_rank()),
        is_split_(settings.schedule == Schedule::interleaved_zero_bubble) {
    const int micro_batches = settings.micro_batches();
    round_ = micro_batches / std::max(1, micro_batches / ranks_);
    turns_ = stages_ * micro_batches;
    ahead_ = std::min(turns_, (stages_ - 1) * round_ + (is_split_ ? 1 : 2) * (ranks_ - 1 - rank));
  }

  std::vector<Turn> run() {
    for (int turn = 0; turn < ahead_; ++turn) forward(turn);
    for (int turn = ahead_; turn < ahead_ + turns_; ++turn) {
      if (turn < turns_) forward(turn);
      backward(turn);
      if (is_split_ && turn - ahead_ >= rank_) weights();
    }
    while (is_split_ && weights_ < turns_) weights();
    return std::move(order_);
  }

 private:
  int local_stage(int turn) const { return turn / round_ % stages_; }
  int backward_stage(int turn) const { return (stages_ - 1 - local_stage(turn - ahead_)) * ranks_ + rank_; }

  void add(Kind kind, int stage) {
    order_.push_back({{.kind = kind, .stage = stage, .micro_batch = next_[{kind, stage}]++}});
  }
  void forward(int turn) { add(Kind::forward, local_stage(turn) * ranks_ + rank_); }
  void backward(int turn) { add(is_split_ ? Kind::backward_input : Kind::backward, backward_stage(turn)); }
  /// Adds the part for weights of the oldest backward pass that still lacks it.
  void weights() { add(Kind::backward_weights, backward_stage(ahead_ + weights_++)); }

  int rank_, ranks_, stages_;
  bool is_split_;
  int round_ = 1, turns_ = 0, ahead_ = 0, weights_ = 0;
  std::map<std::pair<Kind, int>, int> next_;  ///< micro-batch
  std::vector<Turn> order_;
};

}  // namespace

std::vector<Turn> interleaved_passes(const Settings& settings, int rank) { return Interleaved(settings, rank).run(); }

std::vector<Turn> breadth_first_passes(const Settings& settings, int rank) {
  std::vector<Turn> order;
  const auto stages = stages_of(settings, rank);
  const int micro_batches = settings.micro_batches();
  for (const int stage : stages) {
    for (int micro_batch = 0; micro_batch < micro_batches; ++micro_batch)
      order.push_back({{.kind = Kind::forward, .stage = stage, .micro_batch = micro_batch}});
  }
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    for (int micro_batch = micro_batches; micro_batch-- > 0;)
      order.push_back({{.kind = Kind::backward, .stage = *stage, .micro_batch = micro_batch}});
  }
  return order;
}

}  // namespace ringmark::replay::torchtitan
