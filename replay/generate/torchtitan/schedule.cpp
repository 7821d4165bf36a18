#include "replay/generate/torchtitan/schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/errors.hpp"
#include "replay/generate/torchtitan/passes.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using Kind = Action::Kind;

/// 1F1B and GPipe, with one stage on each rank.
class OneStage {
 public:
  OneStage(const Settings& settings, int stage)
      : stage_(stage), stages_(settings.stages()), micro_batches_(settings.micro_batches()) {}

  std::vector<Action> gpipe() {
    for (int at = 0; at < micro_batches_; ++at) {
      messages({receive(true)});
      pass(Kind::forward, at);
      messages({send(true)});
    }
    for (int at = 0; at < micro_batches_; ++at) {
      messages({receive(false)});
      pass(Kind::backward, at);
      messages({send(false)});
    }
    return finish();
  }

  /// A send and a receive between a forward and a backward pass are launched together.
  std::vector<Action> one_f_one_b() {
    const int ahead = std::min(micro_batches_, stages_ - stage_);
    for (int at = 0; at < ahead; ++at) {
      messages({receive(true)});
      pass(Kind::forward, at);
      if (at + 1 < ahead) messages({send(true)});
    }
    for (int at = 0; at < micro_batches_; ++at) {
      const int forward = at + ahead;
      if (forward <= micro_batches_) {
        messages({send(true), receive(false)});
      } else {
        messages({receive(false)});
      }
      pass(Kind::backward, at);
      if (forward < micro_batches_) {
        messages({send(false), receive(true)});
        pass(Kind::forward, forward);
      } else {
        messages({send(false)});
      }
    }
    return finish();
  }

 private:
  Action::Message send(bool is_forward) const { return {true, is_forward, stage_}; }
  Action::Message receive(bool is_forward) const { return {false, is_forward, stage_}; }

  void pass(Kind kind, int micro_batch) {
    actions_.push_back({.kind = kind, .stage = stage_, .micro_batch = micro_batch});
  }
  /// Adds those messages whose other stage exists.
  void messages(std::vector<Action::Message> all) {
    std::erase_if(
        all, [&](const auto& each) { return each.is_sent == each.is_forward ? stage_ + 1 == stages_ : stage_ == 0; });
    if (!all.empty()) actions_.push_back({.kind = Kind::messages, .stage = stage_, .messages = std::move(all)});
  }
  std::vector<Action> finish() {
    actions_.push_back({.kind = Kind::reduce_gradients, .stage = stage_});
    return std::move(actions_);
  }

  int stage_, stages_, micro_batches_;
  std::vector<Action> actions_;
};

/// Adds the actions that gather and free weights and reduce gradients. The next three stages of a rank are gathered.
std::vector<Turn> with_weights(const std::vector<Turn>& passes, int micro_batches) {
  constexpr std::size_t most = 3;
  std::vector<Turn> turns;
  std::vector<int> active;
  std::map<int, int> backward;
  const auto add = [&](Kind kind, int stage) { turns.push_back({{.kind = kind, .stage = stage}}); };
  for (auto turn = passes.begin(); turn != passes.end(); ++turn) {
    std::vector<int> next;
    for (auto ahead = turn; ahead != passes.end() && next.size() < most; ++ahead) {
      for (const auto& action : *ahead) {
        if (std::find(next.begin(), next.end(), action.stage) == next.end()) next.push_back(action.stage);
      }
    }
    const auto missing_in = [](const std::vector<int>& all) {
      return [&all](int stage) { return std::find(all.begin(), all.end(), stage) == all.end(); };
    };
    for (const int stage : active) {
      if (missing_in(next)(stage)) add(Kind::reshard, stage);
    }
    std::erase_if(active, missing_in(next));
    for (const int stage : next) {
      if (!missing_in(active)(stage)) continue;
      active.push_back(stage);
      add(Kind::unshard, stage);
    }
    turns.push_back(*turn);
    for (const auto& action : *turn) {
      const bool is_last = action.kind == Kind::backward || action.kind == Kind::backward_weights;
      if (is_last && ++backward[action.stage] == micro_batches) add(Kind::reduce_gradients, action.stage);
    }
  }
  return turns;
}

/// Puts messages between the passes of all ranks: a rank sends what it has computed, and the receiver's next action is
/// to receive it.
class Messages {
 public:
  Messages(const Settings& settings, std::vector<std::vector<Turn>> turns)
      : settings_(settings),
        turns_(std::move(turns)),
        next_(turns_.size(), 0),
        actions_(turns_.size()),
        done_(turns_.size()) {}

  std::vector<std::vector<Action>> run() {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t rank = 0; rank < turns_.size(); ++rank) {
        if (next_[rank] == turns_[rank].size() || !is_ready(rank)) continue;
        take(rank);
        moves = true;
      }
    }
    for (std::size_t rank = 0; rank < turns_.size(); ++rank) {
      if (next_[rank] != turns_[rank].size()) throw BadUsage("the pipeline schedule deadlocks");
    }
    return std::move(actions_);
  }

 private:
  using Fact = std::tuple<bool, int, int>;  ///< the input of a forward (or else backward) pass has arrived: is_forward,
                                            ///< stage, micro-batch

  static bool gives_gradient(const Action& action) {
    return action.kind == Kind::backward || action.kind == Kind::backward_input;
  }
  bool is_ready(std::size_t rank) const {
    const auto& turn = turns_[rank][next_[rank]];
    return std::all_of(turn.begin(), turn.end(), [&](const Action& action) {
      const bool is_forward = action.kind == Kind::forward;
      if (!is_forward && !gives_gradient(action)) return true;
      const bool is_end = is_forward ? action.stage == 0 : action.stage + 1 == settings_.stages();
      return is_end || done_[rank].contains({is_forward, action.stage, action.micro_batch});
    });
  }

  void take(std::size_t rank) {
    const auto& turn = turns_[rank][next_[rank]++];
    for (const auto& action : turn) actions_[rank].push_back(action);
    for (const auto& action : turn) {
      const bool is_forward = action.kind == Kind::forward;
      if (!is_forward && !gives_gradient(action)) continue;
      const int other = action.stage + (is_forward ? 1 : -1);
      if (other < 0 || other == settings_.stages()) continue;
      const auto receiver = static_cast<std::size_t>(rank_of_stage(settings_, other));
      done_[receiver].insert({is_forward, other, action.micro_batch});
      if (receiver == rank) continue;
      message(rank, {true, is_forward, action.stage}, action.micro_batch);
      message(receiver, {false, is_forward, other}, action.micro_batch);
    }
  }
  void message(std::size_t rank, Action::Message one, int micro_batch) {
    actions_[rank].push_back(
        {.kind = Kind::messages, .stage = one.stage, .micro_batch = micro_batch, .messages = {one}});
  }

  const Settings& settings_;
  std::vector<std::vector<Turn>> turns_;  ///< by rank
  std::vector<std::size_t> next_;
  std::vector<std::vector<Action>> actions_;
  std::vector<std::set<Fact>> done_;
};

}  // namespace

std::vector<Turn> passes_of(const Settings& settings, int rank) {
  switch (settings.schedule) {
    case Schedule::looped_bfs:
      return breadth_first_passes(settings, rank);
    case Schedule::zbv_zero_bubble:
      return zbv_passes(settings, rank);
    case Schedule::dual_pipe_v:
      return dual_pipe_passes(settings, rank);
    default:
      return interleaved_passes(settings, rank);
  }
}

std::vector<std::vector<Action>> schedule_of(const Settings& settings) {
  std::vector<std::vector<Action>> by_rank;
  const int ranks = settings.sizes.pipeline;
  if (has_one_stage(settings.schedule)) {
    for (int rank = 0; rank < ranks; ++rank) {
      OneStage stage(settings, rank);
      by_rank.push_back(settings.schedule == Schedule::gpipe ? stage.gpipe() : stage.one_f_one_b());
    }
    return by_rank;
  }
  std::vector<std::vector<Turn>> turns;
  for (int rank = 0; rank < ranks; ++rank)
    turns.push_back(with_weights(passes_of(settings, rank), settings.micro_batches()));
  return Messages(settings, std::move(turns)).run();
}

}  // namespace ringmark::replay::torchtitan
