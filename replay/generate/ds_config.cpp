#include "replay/generate/ds_config.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/input/input.hpp"
#include "base/text/spelling.hpp"
#include "replay/generate/ds_config_checks.hpp"
#include "replay/generate/ds_config_reader.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

using Reader = DsConfigReader;

/// DeepSpeed compares some names in lower case.
std::string in_lower_case(const Json& value) { return value.is_string() ? lower_case(value.get<std::string>()) : ""; }

std::optional<DataType> communication_type(const Reader& read, const Json& root) {
  const auto found = root.find("communication_data_type");
  if (found == root.end() || found->is_null()) return std::nullopt;
  const auto name = in_lower_case(*found);
  if (name == "fp32") return DataType::float32;
  if (name == "fp16") return DataType::float16;
  if (name == "bf16") return DataType::bfloat16;
  read.refuse("communication_data_type: expected fp32, fp16 or bf16, found {}", found->dump());
}

/// Parses DeepSpeed's names for types.
bool is_float32(const Reader& read, const Json& type) {
  constexpr std::array float32{"fp32", "float32", "float", "torch.float32"};
  constexpr std::array others{"fp16", "float16", "half", "torch.float16", "bf16", "bfloat16", "torch.bfloat16"};
  const auto is_it = [&](const char* name) { return type == name; };
  if (std::any_of(float32.begin(), float32.end(), is_it)) return true;
  if (std::none_of(others.begin(), others.end(), is_it))
    read.refuse("grad_accum_dtype: expected fp32, fp16 or bf16, found {}", type.dump());
  return false;
}

void read_precision(Reader& read, const Json& root, DsConfig& config) {
  const bool is_bf16 =
      read.is_enabled(root, "bf16", DataType::bfloat16) || read.is_enabled(root, "bfloat16", DataType::bfloat16);
  const bool is_fp16 = read.is_enabled(root, "fp16", DataType::float16);
  if (is_bf16 && is_fp16) read.refuse("bf16 and fp16 are both enabled; DeepSpeed allows only one");
  config.type = is_bf16 ? DataType::bfloat16 : is_fp16 ? DataType::float16 : DataType::float32;
  const auto bf16 = read.object(root, root.contains("bfloat16") ? "bfloat16" : "bf16");
  bool checks = false;
  read.truth(bf16, "check_grad_overflow", checks);
  if (bf16.contains("check_grad_overflow")) config.settings.check_overflow_bf16 = checks;
  config.settings.reduce_type = communication_type(read, root);
  const auto types = read.object(root, "data_types");
  config.settings.accumulates_in_float32 = types.contains("grad_accum_dtype") && !types["grad_accum_dtype"].is_null() &&
                                           is_float32(read, types["grad_accum_dtype"]);
}

/// Memory and the optimizer's time are those of Adam, which has two states of a weight.
void read_optimizer(const Reader& read, const Json& root, DsConfig& config) {
  const auto type = read.object(root, "optimizer").value("type", Json());
  const auto name = in_lower_case(type);
  constexpr std::array like_adam{"", "auto", "adam", "adamw", "muadam", "muadamw", "fusedadam", "deepspeedcpuadam"};
  constexpr std::array compressed{"onebitadam", "onebitlamb", "zerooneadam"};
  const auto is_it = [&](const char* each) { return name == each; };
  if (std::any_of(compressed.begin(), compressed.end(), is_it)) {
    config.notes.push_back(fmt::format("optimizer: the compression of {} is not modelled", type.get<std::string>()));
  } else if (std::none_of(like_adam.begin(), like_adam.end(), is_it)) {
    config.notes.push_back(
        fmt::format("optimizer: {} is not modelled: memory, time and collectives of the update are Adam's",
                    type.get<std::string>()));
  }
}

/// Ranks hold whole samples, so each is a data-parallel rank.
void read_mesh(const Reader& read, const Json& root, std::uint64_t ranks, DsConfig& config) {
  std::uint64_t data_parallel = ranks;
  read.number(root, "data_parallel_size", std::uint64_t{1}, data_parallel);
  if (data_parallel == ranks) return;
  if (root.contains("sequence_parallel_size"))
    read.refuse("data_parallel_size {}: without sequence parallelism it is the number of ranks; give --ranks {}",
                data_parallel, data_parallel);
  config.notes.push_back(fmt::format(
      "data_parallel_size {}: DeepSpeed reads it only with sequence_parallel_size; the prediction is for {} ranks",
      data_parallel, ranks));
}

void read_stage(Reader& read, const Json& zero, StepSettings& s) {
  if (zero.value("stage", Json()) == "auto") {
    const auto stage = read.settled("--zero", read.given().zero_stage);
    if (!stage) read.refuse("zero_optimization: stage: auto: the application decides it; give --zero");
    s.zero_stage = *stage;
  } else {
    read.number(zero, "stage", 0, s.zero_stage);
  }
  if (s.zero_stage > 3) read.refuse("zero_optimization: stage {}: expected 0 to 3", s.zero_stage);
}

void read_gradients(Reader& read, const Json& zero, double hidden, StepSettings& s) {
  s.overlap_comm = usual_overlap_comm(s.zero_stage);
  read.truth(zero, "overlap_comm", s.overlap_comm);
  read.truth(zero, "reduce_scatter", s.reduce_scatter);
  read.truth(zero, "use_multi_rank_bucket_allreduce", s.multi_rank_all_reduce);
  read.truth(zero, "contiguous_gradients", s.contiguous_gradients);
  read.truth(zero, "round_robin_gradients", s.round_robin);
  const bool is_auto = zero.value("reduce_bucket_size", Json()) == "auto";
  if (const auto bucket = is_auto ? read.settled("--reduce-bucket", read.given().reduce_bucket) : std::nullopt)
    s.reduce_bucket = *bucket;
  else
    read.number(zero, "reduce_bucket_size", std::uint64_t{1}, s.reduce_bucket, hidden * hidden);
  read.truth(zero, "zero_quantized_gradients", s.quantized_gradients);
}

/// Reads the limits of stage 3 on what a rank prefetches, on what it keeps, and on a group of the optimizer's tensors.
void read_limits(Reader& read, const Json& zero, double hidden, StepSettings& s) {
  for (const auto* key : {"stage3_prefetch_bucket_size", "prefetch_bucket_size"})
    read.number(zero, key, std::uint64_t{0}, s.prefetch_bucket, 0.9 * hidden * hidden);
  for (const auto* key : {"stage3_param_persistence_threshold", "param_persistence_threshold"})
    read.number(zero, key, std::uint64_t{0}, s.persistence_threshold, 10 * hidden);
  for (const auto* key : {"stage3_model_persistence_threshold", "model_persistence_threshold"}) {
    // DeepSpeed's own default is Python's largest integer.
    const auto found = zero.find(key);
    constexpr double as_good_as_unlimited = 1e15;
    if (found != zero.end() && found->is_number() && found->get<double>() > as_good_as_unlimited) continue;
    read.number(zero, key, std::uint64_t{0}, s.model_persistence_threshold);
  }
  for (const auto* key : {"stage3_max_live_parameters", "max_live_parameters"})
    read.number(zero, key, std::uint64_t{0}, s.max_live);
  for (const auto* key : {"stage3_max_reuse_distance", "max_reuse_distance"})
    read.number(zero, key, std::uint64_t{0}, s.max_reuse_distance);
  read.number(zero, "sub_group_size", std::uint64_t{0}, s.sub_group);
  s.sub_group = std::max<std::uint64_t>(1, s.sub_group);  // with 0, as with 1, each tensor is its own group
}

/// Reads how stage 3 gathers parameters.
void read_gathers(Reader& read, const Json& zero, DsConfig& config) {
  auto& s = config.settings;
  for (const auto* key : {"stage3_use_all_reduce_for_fetch_params", "use_all_reduce_for_fetch_params"})
    read.truth(zero, key, s.fetches_by_all_reduce);
  if (s.fetches_by_all_reduce)
    config.notes.emplace_back(
        "stage3_use_all_reduce_for_fetch_params: with it DeepSpeed 0.16.4 fails when it fetches several parameters at "
        "once, 0.19.6 does not");
  bool fetches_singly = false;
  for (const auto* key : {"stage3_allgather_sequential", "allgather_sequential"}) read.truth(zero, key, fetches_singly);
  if (fetches_singly && !s.framework.is_before(0, 18, 5)) s.fetches_singly = true, s.prefetch_bucket = 1;
  read.truth(zero, "zero_quantized_weights", s.quantized_weights);
  if (s.fetches_singly && s.quantized_weights)
    config.notes.emplace_back("stage3_allgather_sequential is not modelled together with zero_quantized_weights");
  read.number(zero, "zero_hpz_partition_size", 1, s.secondary_partition);
}

/// The section of an offload. Old files have a key that is true or false instead.
Json offload_section(const Reader& read, const Json& zero, const char* key,
                     std::initializer_list<const char*> old_keys) {
  const auto section = read.object(zero, key);
  bool is_wanted = false;
  for (const auto* old_key : old_keys) read.truth(zero, old_key, is_wanted);
  return section.empty() && is_wanted ? Json{{"device", "cpu"}} : section;
}

void read_offload(Reader& read, const Json& zero, DsConfig& config) {
  auto& s = config.settings;
  const auto is_used = [](const Json& section) {
    const auto device = section.value("device", Json());
    return !device.is_null() && device != "none" && device != "auto";
  };
  if (is_used(offload_section(read, zero, "offload_param", {"cpu_offload_param", "cpu_offload_params"})))
    config.notes.emplace_back(
        "offload_param: the collectives are modelled, transfers to host memory are not, and weights count as device "
        "memory");
  const auto section = offload_section(read, zero, "offload_optimizer", {"cpu_offload"});
  if (!is_used(section)) return;
  config.notes.emplace_back("offload_optimizer: the collectives are modelled, transfers to host memory are not");
  s.offloads_optimizer = true;
  s.offloads_to_disk = section["device"] == "nvme";
  const auto ratio = section.value("ratio", Json());
  if (ratio.is_null() || ratio == "auto") return;
  if (!ratio.is_number() || ratio.get<double>() < 0 || ratio.get<double>() > 1)
    read.refuse("offload_optimizer: ratio: expected a number from 0 to 1, found {}", ratio.dump());
  s.offloaded_ratio = ratio.get<double>();
  if (s.offloaded_ratio < 1 && s.zero_stage != 3)
    read.refuse("offload_optimizer: ratio: {}: DeepSpeed offloads a part only in stage 3", ratio.dump());
}

void read_zero(Reader& read, const Json& root, double hidden, DsConfig& config) {
  const auto zero = read.object(root, "zero_optimization");
  read_stage(read, zero, config.settings);
  read_gradients(read, zero, hidden, config.settings);
  read_limits(read, zero, hidden, config.settings);
  read_gathers(read, zero, config);
  read_offload(read, zero, config);
}

void read_clipping(Reader& read, const Json& root, DsConfig& config) {
  const auto found = root.find("gradient_clipping");
  if (found == root.end() || found->is_null()) return;
  const bool is_auto = *found == "auto";
  if (!is_auto && !found->is_number()) read.refuse("gradient_clipping: expected a number, found {}", found->dump());
  // Hugging Face's own default is 1.
  config.settings.clips_gradients =
      is_auto ? read.settled("--clip-grad", read.given().clips_gradients).value_or(true) : found->get<double>() > 0;
}

/// batch = micro-batch x accumulation x ranks: DeepSpeed derives the missing factor.
void read_batch(const Reader& read, const Json& root, std::uint64_t ranks, DsConfig& config) {
  std::uint64_t batch = 0, micro_batch = 0, micro_steps = 0;
  const auto number = [&](const char* key, std::uint64_t& to) {
    const auto found = root.value(key, Json());
    if (found.is_string() && found != "auto") read.refuse("{}: expected a whole number, found {}", key, found.dump());
    // If the file says "auto", flags give the application's value.
    if (found != "auto") read.number(root, key, std::uint64_t{1}, to);
  };
  number("train_batch_size", batch);
  number("train_micro_batch_size_per_gpu", micro_batch);
  number("gradient_accumulation_steps", micro_steps);
  constexpr std::uint64_t most_micro_batch = std::uint64_t{1} << 30U, most_micro_steps = 100'000;
  if (micro_batch > most_micro_batch)
    read.refuse("train_micro_batch_size_per_gpu {}: more than {}", micro_batch, most_micro_batch);
  if (micro_steps > most_micro_steps)
    read.refuse("gradient_accumulation_steps {}: more than {}", micro_steps, most_micro_steps);
  if (batch > 0) {
    const auto known = ranks * std::max<std::uint64_t>(1, micro_batch) * std::max<std::uint64_t>(1, micro_steps);
    if (batch % known != 0 || (micro_batch > 0 && micro_steps > 0 && batch != known)) {
      const auto of_a_rank = known / ranks;
      read.refuse("train_batch_size {}: is not micro-batch {} x accumulation {} x {} ranks; {}", batch,
                  std::max<std::uint64_t>(1, micro_batch), std::max<std::uint64_t>(1, micro_steps), ranks,
                  batch % of_a_rank == 0 ? fmt::format("it would be with --ranks {}", batch / of_a_rank)
                                         : "no number of ranks fits: change one of the three");
    }
    if (micro_steps == 0) micro_steps = micro_batch > 0 ? batch / known : 1;
    if (micro_batch == 0) micro_batch = batch / (ranks * micro_steps);
  }
  if (micro_steps > most_micro_steps || micro_batch > most_micro_batch)
    read.refuse("train_batch_size {}: leaves a micro-batch of {} and {} micro-steps; the limits are {} and {}", batch,
                micro_batch, micro_steps, most_micro_batch, most_micro_steps);
  const auto note_auto = [&](const char* key, const char* flag, bool is_known, auto usual) {
    if (!is_known && root.value(key, Json()) == "auto")
      config.notes.push_back(
          fmt::format("{}: auto: the application decides it; {} is assumed unless {} is given", key, usual, flag));
  };
  const StepSettings usual;
  note_auto("train_micro_batch_size_per_gpu", "--micro-batch", micro_batch > 0 || read.given().micro_batch,
            usual.micro_batch);
  note_auto("gradient_accumulation_steps", "--grad-accum", micro_steps > 0 || read.given().micro_steps,
            usual.micro_steps);
  if (micro_steps > 0) config.micro_steps = static_cast<int>(micro_steps);
  if (micro_batch > 0) config.micro_batch = micro_batch;
}

}  // namespace

DsConfig ds_config_from_json(const std::string& file, const std::string& text, const Framework& framework,
                             std::uint64_t hidden, int ranks, const GivenByFlags& given) {
  Reader read(file, hidden, given);
  const auto root = read.whole(text);
  DsConfig config;
  config.settings.framework = framework;
  check_ds_config_keys(read, root, config);
  read_zero(read, root, static_cast<double>(hidden), config);
  read_precision(read, root, config);
  read_clipping(read, root, config);
  read_optimizer(read, root, config);
  read_mesh(read, root, static_cast<std::uint64_t>(ranks), config);
  read_batch(read, root, static_cast<std::uint64_t>(ranks), config);
  config.flags = read.flags();
  return config;
}

DsConfig read_ds_config(const std::string& file, const Framework& framework, std::uint64_t hidden, int ranks,
                        const GivenByFlags& given) {
  return ds_config_from_json(file, whole_text(file, "--ds-config " + file), framework, hidden, ranks, given);
}

}  // namespace ringmark::replay
