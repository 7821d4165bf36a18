#include "replay/generate/megatron/step.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "replay/generate/megatron/grid.hpp"
#include "replay/generate/megatron/layers.hpp"
#include "replay/generate/megatron/load_transformer.hpp"
#include "replay/generate/megatron/memory.hpp"
#include "replay/generate/megatron/schedule.hpp"
#include "replay/generate/megatron/step_end.hpp"
#include "replay/generate/pass_store.hpp"

namespace ringmark::replay::megatron {
namespace {

/// The step of one stage.
class Stage {
 public:
  Stage(const Settings& settings, const Grid& grid, PassStore& store, int stage)
      : settings_(settings), grid_(grid), store_(store), stage_(stage), parts_(settings, stage) {}

  Role run() {
    role_.name = settings_.sizes.pipeline > 1 ? fmt::format("stage {}", stage_) : "all";
    const Pipeline pipeline{settings_.sizes.pipeline, settings_.sizes.chunks, settings_.micro_batches(),
                            settings_.group_of_micro_batches, settings_.overlaps_messages};
    for (const auto& action : schedule_of(pipeline, stage_)) take(action);
    finish();
    role_.memory = memory_of(settings_, parts_.chunks, stage_);
    return std::move(role_);
  }

 private:
  bool has_chunks() const { return settings_.sizes.chunks > 1; }

  void play(Pass pass, std::optional<int> micro_batch = {}) {
    if (pass.events.empty()) return;
    role_.plays.push_back({store_.keep(std::move(pass)), micro_batch});
  }
  template <class Fill>
  void play_new(const char* name, Phase phase, const Fill& fill, std::optional<int> micro_batch = {}) {
    Pass pass{name, std::nullopt, {}};
    PassBuilder builder(grid_, pass);
    builder.phase = phase;
    fill(builder);
    play(std::move(pass), micro_batch);
  }

  void take(const Action& action) {
    switch (action.kind) {
      case Action::Kind::forward:
        data(action);
        return pass(action, true);
      case Action::Kind::backward:
        return pass(action, false);
      case Action::Kind::messages:
        return messages(action);
      case Action::Kind::await:
        return await(action);
      case Action::Kind::gather_weights:
        if (gathers_together()) gather_weights(action.chunk);
        return;
      case Action::Kind::reduce_gradients:
        if (settings_.overlaps_gradients && !reduces_inside(action.chunk)) reduce_gradients(action.chunk, "step");
        return;
    }
  }

  /// Whether gradients are reduced during the last backward pass. This is so on the first stage of a schedule without
  /// chunks, and everywhere if stages do not align their reductions.
  bool reduces_inside(int chunk) const {
    return !settings_.aligns_reductions || (!has_chunks() && stage_ == 0 && chunk == 0);
  }
  /// Whether the schedule gathers a chunk's weights, rather than the modules that need them.
  bool gathers_together() const { return settings_.overlaps_parameters && has_chunks() && settings_.aligns_gathers; }

  void pass(const Action& action, bool is_forward) {
    const auto at = static_cast<std::size_t>(action.chunk);
    Sharing sharing;
    if (is_forward) {
      sharing.gathers = action.is_first && settings_.overlaps_parameters && !gathers_together();
    } else {
      sharing.reduces = action.is_last && settings_.overlaps_gradients && reduces_inside(action.chunk);
    }
    auto& kept = kept_[{action.chunk, is_forward, sharing.gathers || sharing.reduces}];
    if (!kept) {
      ChunkWalk walk(settings_, grid_, parts_.chunks[at], parts_.buffers[at]);
      auto made = is_forward ? walk.forward(sharing) : walk.backward(sharing);
      if (has_chunks()) made.chunk = action.chunk;
      kept = store_.keep(std::move(made));
    }
    if (is_forward && action.is_first && gathers_together()) {
      play_new("wait", Phase::forward, [&](PassBuilder& pass) {
        pass.drain(Over::shards);
        if (settings_.has_expert_groups()) pass.drain(Over::expert_shards);
      });
    }
    role_.plays.push_back({*kept, action.micro_batch});
  }

  /// Ranks of a tensor group get the batch from the first of them: tokens and positions on the stage of the embedding,
  /// labels and the loss mask on that of the head.
  void data(const Action& action) {
    const auto& place = parts_.chunks[static_cast<std::size_t>(action.chunk)].place;
    const auto elements = settings_.micro_batch * settings_.sequence;
    std::vector<DataType> types;
    if (place.has_embedding && place.has_head) {
      types = {DataType::int64, DataType::int64, DataType::float32, DataType::int64};
    } else if (place.has_embedding) {
      types = {DataType::int64, DataType::int64};
    } else if (place.has_head) {
      types = {DataType::int64, DataType::float32};
    }
    play_new(
        "data", Phase::forward,
        [&](PassBuilder& pass) {
          for (const auto type : types)
            pass.call({.collective = Collective::broadcast,
                       .elements = elements,
                       .type = type,
                       .over = Over::tensor,
                       .tag = "data"});
        },
        action.micro_batch);
  }

  void messages(const Action& action) {
    Pass pass{action.name, std::nullopt, {}};
    for (const auto& [is_sent, is_to_next] : action.messages) {
      auto& event = pass.events.emplace_back();
      event.kind = is_sent ? EventKind::send : EventKind::receive;
      event.phase = is_sent == is_to_next ? Phase::forward : Phase::backward;
      const auto shards = settings_.sizes.shards_sequence ? static_cast<std::uint64_t>(settings_.sizes.tensor) : 1;
      event.elements = settings_.tokens() * settings_.model.hidden / shards;
      event.type = settings_.type;
      event.group = event.channel = static_cast<int>(Grid::index(group_of(action.is_joint, is_sent)));
      event.is_async = true;
      event.peer = distance(is_to_next);
      if (action.is_joint) event.batch = 0;
    }
    if (action.is_joint) {
      const auto phase = pass.events.back().phase;
      auto& wait = pass.events.emplace_back();
      wait.kind = EventKind::wait;
      wait.phase = phase;
      for (int at = 0; at < static_cast<int>(action.messages.size()); ++at) wait.after.push_back(at);
    }
    play(std::move(pass));
  }

  /// With two stages both neighbours are the same rank. Single messages in one of the directions then take the group of
  /// all ranks, so that the two do not wait for each other.
  Over group_of(bool is_joint, bool is_sent) const {
    if (is_joint || settings_.sizes.pipeline != 2) return Over::pipeline;
    return is_sent == (stage_ % 2 == 0) ? Over::pipeline : Over::world;
  }

  int distance(bool is_to_next) const {
    const int stages = settings_.sizes.pipeline;
    const int other = (stage_ + (is_to_next ? 1 : stages - 1)) % stages;
    return (other - stage_) * grid_.stage_stride();
  }

  void await(const Action& action) {
    Pass pass{"wait", std::nullopt, {}};
    auto& event = pass.events.emplace_back();
    event.kind = EventKind::wait;
    event.phase = action.is_forward ? Phase::forward : Phase::backward;
    event.peer = distance(!action.is_forward);
    event.oldest_message_of = static_cast<int>(Grid::index(group_of(false, false)));
    play(std::move(pass));
  }

  void gather_weights(int chunk) {
    play_new("step", Phase::forward, [&](PassBuilder& pass) {
      parts_.for_buckets(chunk, [&](const auto&... of_bucket) { gather(pass, settings_, of_bucket...); });
    });
  }

  void reduce_gradients(int chunk, const char* name) {
    play_new(name, Phase::backward, [&](PassBuilder& pass) {
      parts_.for_buckets(chunk, [&](const auto&... of_bucket) { reduce(pass, settings_, of_bucket...); });
    });
  }

  /// After the last backward pass.
  void finish() {
    // With several optimizer instances, Megatron reduces again what no backward pass has reduced.
    const bool is_repeated = settings_.optimizer_instances > 1;
    for (int chunk = 0; chunk < settings_.sizes.chunks; ++chunk) {
      if (!settings_.overlaps_gradients || (is_repeated && !reduces_inside(chunk))) reduce_gradients(chunk, "finalize");
    }
    const StepEnd end(settings_, parts_, stage_);
    play_new("finalize", Phase::step, [&](PassBuilder& pass) { end.finalize(pass); });
    play_new("step", Phase::step, [&](PassBuilder& pass) { end.check_reruns(pass); });
    play_new("optimizer", Phase::step, [&](PassBuilder& pass) { end.optimize(pass); });
    play_new("step", Phase::step, [&](PassBuilder& pass) { end.report(pass); });
  }

  const Settings& settings_;
  const Grid& grid_;
  PassStore& store_;
  int stage_;
  StageParts parts_;
  std::map<std::tuple<int, bool, bool>, std::optional<int>> kept_;  ///< by chunk, direction, and sharing
  Role role_;
};

void launch_by_graphs(std::vector<Pass>& passes) {
  for (auto& pass : passes) {
    for (auto& event : pass.events) event.is_launched = false;
  }
}

std::map<std::string, std::string> parameters_of(const Settings& settings) {
  const auto& sizes = settings.sizes;
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{"tp", text(sizes.tensor)},
          {"sp", text(sizes.shards_sequence)},
          {"pp", text(sizes.pipeline)},
          {"vp", text(sizes.chunks)},
          {"cp", text(sizes.context)},
          {"ep", text(sizes.expert)},
          {"etp", text(settings.expert_tensor())},
          {"dp", text(settings.data_parallel())},
          {"experts", text(settings.model.experts.count)},
          {"global_batch", text(settings.global_batch)},
          {"distributed_optimizer", text(settings.shards_optimizer)},
          {"recompute", name(settings.recompute)}};
}

}  // namespace

RoleTrace generate(const Settings& settings) {
  check(settings);
  RoleTrace trace;
  const auto grid = make_grid(settings);
  trace.id = fmt::format("{}-tp{}-pp{}-dp{}", settings.model.name, settings.sizes.tensor, settings.sizes.pipeline,
                         settings.data_parallel());
  trace.model = settings.model.name;
  trace.source = "megatron-core";
  trace.ranks = settings.ranks;
  trace.micro_batches = settings.micro_batches();
  trace.micro_batch = settings.micro_batch;
  trace.sequence = settings.sequence;
  trace.type = settings.type;
  trace.parameters = parameters_of(settings);
  trace.model_elements = static_cast<std::uint64_t>(elements_of(settings.model).total);
  trace.groups = grid.groups();
  trace.role_stride = grid.stage_stride();
  PassStore store(trace.passes);
  for (int stage = 0; stage < settings.sizes.pipeline; ++stage)
    trace.roles.push_back(Stage(settings, grid, store, stage).run());
  if (settings.graphs != Graphs::none) launch_by_graphs(trace.passes);
  return trace;
}

}  // namespace ringmark::replay::megatron
