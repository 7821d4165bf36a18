#include "replay/generate/torchtitan/step.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "replay/generate/pass_store.hpp"
#include "replay/generate/torchtitan/chunk_passes.hpp"
#include "replay/generate/torchtitan/grid.hpp"
#include "replay/generate/torchtitan/memory.hpp"
#include "replay/generate/torchtitan/step_end.hpp"

namespace ringmark::replay::torchtitan {
namespace {

using Kind = Action::Kind;

/// The step of one rank of the pipeline.
class RankStep {
 public:
  RankStep(const Settings& settings, const Grid& grid, PassStore& store, int rank)
      : settings_(settings), grid_(grid), store_(store), rank_(rank) {
    const auto stages = stages_of(settings, rank);
    for (const int stage : stages) chunks_.push_back(std::make_unique<Chunk>(make_chunk(settings, stage)));
    for (const auto& chunk : chunks_) passes_.push_back(std::make_unique<ChunkPasses>(settings, grid, *chunk));
  }

  Role run(const std::vector<Action>& actions) {
    role_.name = settings_.sizes.pipeline > 1 ? fmt::format("stage {}", rank_) : "all";
    const StepEnd end(settings_, chunks_, passes_);
    play_new("step", Phase::forward, [&](PassBuilder& pass) { StepEnd::count_tokens(pass); });
    const int accumulation = settings_.accumulation();
    for (int at = 0; at < accumulation; ++at) {
      for (const auto& action : actions) take(action, at * settings_.micro_batches());
    }
    play_new("clip", Phase::step, [&](PassBuilder& pass) { end.clip(pass); });
    play_new("optimizer", Phase::step, [&](PassBuilder& pass) { end.optimize(pass); });
    play_new("after", Phase::step, [&](PassBuilder& pass) { end.report(pass); });
    role_.memory = memory_of(settings_, chunks_, actions);
    return std::move(role_);
  }

 private:
  void play(Pass pass, std::optional<int> micro_batch = {}) {
    if (pass.events.empty()) return;
    role_.plays.push_back({store_.keep(std::move(pass)), micro_batch});
  }
  template <class Fill>
  void play_new(const char* name, Phase phase, const Fill& fill) {
    Pass pass{name, std::nullopt, {}};
    PassBuilder builder(grid_, pass);
    builder.phase = phase;
    fill(builder);
    play(std::move(pass));
  }

  ChunkPasses& passes_of_stage(int stage) {
    for (std::size_t at = 0; at + 1 < chunks_.size(); ++at) {
      if (chunks_[at]->stage == stage) return *passes_[at];
    }
    return *passes_.back();
  }

  void take(const Action& action, int first_micro_batch) {
    auto& passes = passes_of_stage(action.stage);
    if (action.kind == Kind::messages) return messages(action);
    if (!action.is_pass()) return play(passes.manage(action.kind));
    if (!has_one_stage(settings_.schedule)) await(action);
    const int micro_batch = first_micro_batch + action.micro_batch;
    play(action.kind == Kind::forward ? passes.forward() : passes.backward(action.kind), micro_batch);
  }

  int distance(int stage) const { return (rank_of_stage(settings_, stage) - rank_) * grid_.stage_stride(); }
  /// The stage at the other end.
  static int other(const Action::Message& message) {
    return message.stage + (message.is_sent == message.is_forward ? 1 : -1);
  }

  /// In schedules with one stage per rank, ranks wait for what they receive, and for launches of several messages.
  void messages(const Action& action) {
    Pass pass{"step", std::nullopt, {}};
    const bool is_joint = action.messages.size() > 1;
    const auto shards = settings_.has_sequence() ? static_cast<std::uint64_t>(settings_.sizes.tensor) : 1;
    std::vector<int> awaited;
    for (const auto& message : action.messages) {
      if (is_joint || !message.is_sent) awaited.push_back(static_cast<int>(pass.events.size()));
      auto& event = pass.events.emplace_back();
      event.kind = message.is_sent ? EventKind::send : EventKind::receive;
      event.phase = message.is_forward ? Phase::forward : Phase::backward;
      event.elements = settings_.tokens() * settings_.model.hidden / shards;
      event.type = settings_.type;
      event.group = event.channel = static_cast<int>(Grid::index(Over::pipeline));
      event.is_async = true;
      event.peer = distance(other(message));
      if (is_joint) event.batch = 0;
    }
    if (has_one_stage(settings_.schedule) && !awaited.empty()) {
      auto& wait = pass.events.emplace_back();
      wait.kind = EventKind::wait;
      wait.after = awaited;
    }
    play(std::move(pass));
  }

  /// Waits for the pass's message, if another rank sends it.
  void await(const Action& action) {
    const bool is_forward = action.kind == Kind::forward;
    if (!is_forward && action.kind == Kind::backward_weights) return;
    const int from = action.stage + (is_forward ? -1 : 1);
    if (from < 0 || from == settings_.stages() || rank_of_stage(settings_, from) == rank_) return;
    Pass pass{"wait", std::nullopt, {}};
    auto& event = pass.events.emplace_back();
    event.kind = EventKind::wait;
    event.phase = is_forward ? Phase::forward : Phase::backward;
    event.peer = distance(from);
    event.oldest_message_of = static_cast<int>(Grid::index(Over::pipeline));
    play(std::move(pass));
  }

  const Settings& settings_;
  const Grid& grid_;
  PassStore& store_;
  int rank_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<ChunkPasses>> passes_;  ///< by chunk
  Role role_;
};

std::map<std::string, std::string> parameters_of(const Settings& settings) {
  const auto& sizes = settings.sizes;
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{"tp", text(sizes.tensor)},
          {"sp", text(settings.has_sequence())},
          {"pp", text(sizes.pipeline)},
          {"vp", text(settings.stages_of_rank())},
          {"cp", text(sizes.context)},
          {"ep", text(sizes.expert)},
          {"dp_shard", text(sizes.shards)},
          {"dp_replicate", text(sizes.replicas)},
          {"experts", text(settings.model.experts.count)},
          {"global_batch", text(settings.global_batch)},
          {"recompute", settings.recomputes        ? "full"
                        : settings.recomputes_some ? "selective"
                                                   : "none"}};
}

std::uint64_t elements_of(const Settings& settings) {
  Settings whole;
  whole.model = settings.model;
  return make_chunk(whole, 0).elements(false);
}

}  // namespace

RoleTrace generate(const Settings& settings) {
  check(settings);
  RoleTrace trace;
  const auto grid = make_grid(settings);
  const auto& sizes = settings.sizes;
  trace.id = fmt::format("{}-tp{}-pp{}-dp{}", settings.model.name, sizes.tensor, sizes.pipeline,
                         sizes.shards * sizes.replicas);
  trace.model = settings.model.name;
  trace.source = "torchtitan";
  trace.ranks = settings.ranks;
  trace.micro_batches = settings.micro_batches() * settings.accumulation();
  trace.micro_batch = settings.samples();
  trace.sequence = settings.sequence;
  trace.type = settings.type;
  trace.parameters = parameters_of(settings);
  trace.model_elements = elements_of(settings);
  trace.groups = grid.groups();
  trace.role_stride = grid.stage_stride();
  PassStore store(trace.passes);
  const std::vector<std::vector<Action>> alone{{{.kind = Kind::forward}, {.kind = Kind::backward}}};
  const auto schedule = sizes.pipeline > 1 ? schedule_of(settings) : alone;
  for (int rank = 0; rank < sizes.pipeline; ++rank)
    trace.roles.push_back(RankStep(settings, grid, store, rank).run(schedule[static_cast<std::size_t>(rank)]));
  return trace;
}

}  // namespace ringmark::replay::torchtitan
