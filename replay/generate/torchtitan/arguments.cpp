#include "replay/generate/torchtitan/arguments.hpp"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "replay/generate/argument_list.hpp"
#include "replay/generate/torchtitan/argument_names.hpp"
#include "replay/generate/torchtitan/config_text.hpp"
#include "replay/generate/torchtitan/models.hpp"

namespace ringmark::replay::torchtitan {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 40;
constexpr int most_ranks_of_a_kind = 1 << 16;

const std::vector<std::string_view> schedules{
    "1F1B", "GPipe", "LoopedBFS", "Interleaved1F1B", "InterleavedZeroBubble", "ZBVZeroBubble", "DualPipeV"};

/// True for a word that disables an option.
bool is_off(const std::string& value) {
  constexpr std::array<std::string_view, 9> words{"false", "False", "null", "none", "None", "0", "", "off", "default"};
  return std::find(words.begin(), words.end(), value) != words.end();
}

class Reading {
 public:
  Reading(const std::string& file, const std::string& text) : list_(as_arguments(file, text)) {}

  Arguments run(const std::string& file, int ranks) {
    read_model();
    settings_.ranks = ranks;
    read_sizes();
    read_recorded_sizes();
    settle_shards();
    read_batch();
    read_pipeline();
    read_recompute();
    for (const auto& name : list_.rest()) classify(name);
    if (!list_.problems().empty())
      throw BadUsage(fmt::format("{}: {}", file, fmt::join(list_.problems(), "\n" + file + ": ")));
    return {std::move(settings_), std::move(notes_)};
  }

 private:
  /// 0.3.0 names a module and one of its configurations, or has both in the file that it saves; earlier releases name a
  /// model and its flavor; recorded settings a family and a configuration.
  void read_model() {
    std::string family, flavor;
    for (const char* name : {"--module", "--family", "--model_spec.name", "--model.name"})
      if (const auto word = list_.word(name)) family = *word;
    if (const auto word = list_.word("--config")) {
      flavor = *word;
      const auto underscore = flavor.rfind('_');
      if (family.empty() && underscore != std::string::npos) family = flavor.substr(0, underscore);
      if (flavor.starts_with(family + "_")) flavor = flavor.substr(family.size() + 1);
    }
    for (const char* name : {"--model_spec.flavor", "--model.flavor"})
      if (const auto word = list_.word(name)) flavor = *word;
    if (family.empty() || flavor.empty())
      throw BadUsage("the model is missing: give --module and --config, or [model] with name and flavor");
    settings_ = shipped_settings(family, flavor);
    auto& layers = settings_.model.layers;
    // A recorded setting has the first layers of its configuration; so may a truncated model.
    auto most_layers = layers;
    for (const char* name : {"--layers", "--model.layers", "--model.n_layers"})
      list_.number(name, most_layers, std::uint64_t{1}, most);
    layers = std::min(layers, most_layers);
    list_.number("--model_spec.model.layers.length", layers, std::uint64_t{1}, most);
  }

  void read_sizes() {
    auto& sizes = settings_.sizes;
    for (const std::string section : {"--parallelism.", "--experimental.", "--training."}) {
      degree(section + "tensor_parallel_degree", sizes.tensor);
      degree(section + "pipeline_parallel_degree", sizes.pipeline);
      degree(section + "context_parallel_degree", sizes.context);
      degree(section + "data_parallel_replicate_degree", sizes.replicas);
      list_.number(section + "data_parallel_shard_degree", shards_, -1, most_ranks_of_a_kind);
    }
    degree("--parallelism.expert_parallel_degree", sizes.expert);
    int expert_tensor = 1;
    list_.number("--parallelism.expert_tensor_parallel_degree", expert_tensor, 1, most_ranks_of_a_kind);
    if (expert_tensor > 1) list_.problem("parallelism.expert_tensor_parallel_degree above 1 is not modelled");
    sizes.shards_sequence = truth("--parallelism.enable_sequence_parallel", true);
    if (truth("--parallelism.disable_loss_parallel", false))
      list_.problem("parallelism.disable_loss_parallel is not modelled");
    constexpr std::array backends{Backend::spmd_types, Backend::partial_dtensor, Backend::full_dtensor};
    settings_.backend =
        backends[list_.choice("--parallelism.spmd_backend", {"spmd_types", "partial_dtensor", "full_dtensor"}, 0)];
    constexpr std::array reshards{Reshard::usual, Reshard::always, Reshard::never};
    settings_.reshard =
        reshards[list_.choice("--parallelism.fsdp_reshard_after_forward", {"default", "always", "never"}, 0)];
  }
  void degree(const std::string& name, int& to) { list_.number(name, to, 1, most_ranks_of_a_kind); }

  /// Reads the sizes of a recorded setting, which lists all of them.
  void read_recorded_sizes() {
    auto& sizes = settings_.sizes;
    is_recorded_ = list_.has("--parallel.tp");
    degree("--parallel.tp", sizes.tensor);
    degree("--parallel.pp", sizes.pipeline);
    degree("--parallel.cp", sizes.context);
    degree("--parallel.ep", sizes.expert);
    list_.number("--parallel.dp_shard", shards_, -1, most_ranks_of_a_kind);
    degree("--parallel.dp_replicate", sizes.replicas);
    list_.number("--parallel.batch", settings_.batch, std::uint64_t{1}, most);
    list_.number("--parallel.seq", settings_.sequence, std::uint64_t{1}, most);
    list_.number("--parallel.accumulate", accumulation_, std::uint64_t{1}, most);
  }

  /// Sets the number of shards to that of the remaining ranks, unless it is given.
  void settle_shards() {
    auto& sizes = settings_.sizes;
    const auto others = static_cast<std::int64_t>(sizes.tensor) * sizes.pipeline * sizes.context * sizes.replicas;
    const auto left = std::max<std::int64_t>(1, settings_.ranks / others);
    sizes.shards = shards_.value_or(-1) > 0 ? *shards_ : static_cast<int>(left);
  }

  void read_batch() {
    for (const char* name : {"--training.batch_size", "--training.local_batch_size"})
      list_.number(name, settings_.batch, std::uint64_t{1}, most);
    list_.number("--training.seq_len", settings_.sequence, std::uint64_t{1}, most);
    const auto copies =
        static_cast<std::uint64_t>(settings_.sizes.shards) * static_cast<std::uint64_t>(settings_.sizes.replicas);
    settings_.global_batch = settings_.batch * copies * accumulation_;
    std::int64_t global = -1;
    list_.number("--training.global_batch_size", global, std::int64_t{-1}, static_cast<std::int64_t>(most));
    if (global > 0) settings_.global_batch = static_cast<std::uint64_t>(global);
    constexpr std::array types{DataType::bfloat16, DataType::float32};
    list_.number("--loss.num_chunks", settings_.loss_chunks, std::uint64_t{1}, most);
    settings_.type = types[list_.choice("--training.mixed_precision_param", {"bfloat16", "float32"}, 0)];
    list_.choice("--training.mixed_precision_reduce", {"float32"}, 0);
    list_.choice("--training.dtype", {"float32"}, 0);
    std::uint64_t interval = 1;
    list_.number("--metrics.log_freq", interval, std::uint64_t{1}, most);
  }

  void read_pipeline() {
    const auto name = list_.word("--parallelism.pipeline_parallel_schedule");
    if (name) settings_.schedule = schedule_named(*name);
    list_.number("--parallelism.pipeline_parallel_microbatch_size", settings_.pipeline_batch, std::uint64_t{1}, most);
    list_.number("--parallelism.pipeline_parallel_first_stage_less_layers", settings_.embedding_layers,
                 std::uint64_t{0}, most);
    list_.number("--parallelism.pipeline_parallel_last_stage_less_layers", settings_.head_layers, std::uint64_t{0},
                 most);
    constexpr const char* each = "--parallelism.pipeline_parallel_layers_per_stage";
    const auto layers = list_.word(each);
    if (!layers || is_off(*layers)) return;
    std::uint64_t number = 0;
    if (read_number(*layers, std::uint64_t{1}, most, number)) {
      settings_.layers_per_stage = number;
    } else {
      list_.problem(fmt::format("{} {}: give a number of at least 1", each, *layers));
    }
  }

  void read_recompute() {
    auto mode = list_.word("--activation_checkpoint.mode");
    if (const auto recorded = list_.word("--ac")) mode = recorded;
    if (list_.has("--activation_checkpoint")) mode = list_.word("--activation_checkpoint");
    if (!mode && is_recorded_) mode = "none";
    if (mode && *mode != "selective") {
      settings_.recomputes = *mode == "full";
      if (!settings_.recomputes && !is_off(*mode))
        list_.problem(
            fmt::format("activation checkpointing '{}' is not modelled; give none, selective or full", *mode));
      return;
    }
    settings_.recomputes_some = !settings_.recomputes;
  }

  bool truth(const std::string& name, bool otherwise) {
    const auto value = list_.word(name);
    return value ? !is_off(*value) : otherwise;
  }

  void classify(const std::string& name) {
    if (is_refused(name)) {
      const auto value = list_.word(name);
      if (value && is_off(*value)) return;
      return list_.problem(fmt::format("{} changes the step in a way that is not modelled", name.substr(2)));
    }
    if (is_harmless(name)) return;
    const auto meant = list_.meant(name);
    notes_.push_back(fmt::format("{} is unknown{}: if it changes the step, this prediction is wrong", name.substr(2),
                                 meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant.substr(2))));
  }

  ArgumentList list_;
  Settings settings_;
  std::vector<std::string> notes_;
  std::optional<int> shards_;
  std::uint64_t accumulation_ = 1;
  bool is_recorded_ = false;
};

}  // namespace

Schedule schedule_named(const std::string& name) {
  const auto is_same = [&](std::string_view each) {
    return std::equal(each.begin(), each.end(), name.begin(), name.end(),
                      [](unsigned char one, unsigned char two) { return std::tolower(one) == std::tolower(two); });
  };
  const auto found = std::find_if(schedules.begin(), schedules.end(), is_same);
  if (found == schedules.end())
    throw BadUsage(
        fmt::format("the pipeline schedule '{}' is not modelled; give one of {}", name, fmt::join(schedules, ", ")));
  constexpr std::array kinds{Schedule::one_f_one_b,
                             Schedule::gpipe,
                             Schedule::looped_bfs,
                             Schedule::interleaved,
                             Schedule::interleaved_zero_bubble,
                             Schedule::zbv_zero_bubble,
                             Schedule::dual_pipe_v};
  return kinds[static_cast<std::size_t>(found - schedules.begin())];
}

Arguments read_arguments(const std::string& file, const std::string& text, int ranks) {
  return Reading(file, text).run(file, ranks);
}

Arguments read_arguments(const std::string& file, int ranks) {
  return read_arguments(file, whole_text(file, "--torchtitan-config " + file), ranks);
}

}  // namespace ringmark::replay::torchtitan
