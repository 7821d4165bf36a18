#include "replay/generate/generate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/generate/frameworks.hpp"
#include "replay/generate/fsdp_units.hpp"
#include "replay/generate/memory.hpp"
#include "replay/model/eager_layers.hpp"

namespace ringmark::replay {
namespace {

std::unique_ptr<StepHooks> make_hooks(const Model& model, const StepSettings& settings, TraceBuilder& builder,
                                      std::uint64_t trained_elements) {
  using Kind = Framework::Kind;
  switch (settings.framework.kind) {
    case Kind::pytorch_ddp:
      return make_ddp(model, settings, builder);
    case Kind::pytorch_fsdp:
      return make_fsdp(model, settings, builder, trained_elements);
    case Kind::pytorch_fsdp2:
      return make_fsdp2(model, settings, builder);
    case Kind::megatron:  // check() refuses it
    case Kind::deepspeed:
      break;
  }
  if (settings.zero_stage == 0 || settings.takes_bf16_optimizer()) return make_stage0(model, settings, builder);
  return settings.zero_stage == 3 ? make_stage3(model, settings, builder) : make_stage12(model, settings, builder);
}

/// Throws BadUsage if the framework would fail on a tensor that never gets a gradient.
void check_unused(const Model& model, const StepSettings& settings) {
  using Kind = Framework::Kind;
  const auto used = gets_gradient(model);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto& parameter = model.parameters[i];
    if (used[i] || !parameter.requires_grad) continue;
    if (settings.framework.kind == Kind::pytorch_ddp && !settings.find_unused_parameters)
      throw BadUsage(
          fmt::format("{}: no module uses it, and DDP would wait for its gradient; give --find-unused-parameters, or "
                      "set requires_grad: "
                      "false",
                      parameter.name));
  }
}

std::string text_of(bool value) { return value ? "true" : "false"; }

void describe_sharding(const StepSettings& s, std::map<std::string, std::string>& p) {
  const auto& sharding = s.sharding;
  const bool is_fsdp = s.framework.kind == Framework::Kind::pytorch_fsdp;
  if (!is_fsdp && s.framework.kind != Framework::Kind::pytorch_fsdp2) return;
  p["reduce_dtype"] = name(s.gradient_type());
  p["shard_degree"] = std::to_string(s.shard_degree());
  p["wrap"] = sharding.wraps_root_only ? "root" : "layers";
  if (sharding.no_sync) p["no_sync"] = "true";
  if (const auto& reshard = sharding.reshard_after_forward)
    p["reshard_after_forward"] = std::holds_alternative<bool>(*reshard) ? text_of(std::get<bool>(*reshard))
                                                                        : std::to_string(std::get<int>(*reshard));
  if (!is_fsdp) return;
  p["sharding_strategy"] = name(sharding.strategy);
  p["backward_prefetch"] = name(sharding.backward_prefetch);
  p["forward_prefetch"] = text_of(sharding.forward_prefetch);
  p["use_orig_params"] = text_of(sharding.use_orig_params);
}

void describe(const StepSettings& s, StepTrace& trace) {
  auto& p = trace.parameters;
  trace.ranks_per_node = s.ranks_per_node;
  trace.type = s.type;
  trace.overlap = s.effective_overlap();
  trace.software = s.software;
  const bool is_truth = s.recompute.kind != Recompute::Kind::selective && s.recompute.first_layers == 0;
  p["recompute"] = is_truth ? text_of(s.recompute.kind == Recompute::Kind::full) : name(s.recompute);
  if (s.framework.kind == Framework::Kind::pytorch_ddp)
    p["bucket_cap_bytes"] = std::to_string(s.bucket_cap_bytes.value_or(usual_bucket_cap_bytes));
  if (s.find_unused_parameters) p["find_unused_parameters"] = "true";
  describe_sharding(s, p);
  if (s.clips_gradients) p["gradient_clipping"] = text_of(*s.clips_gradients);
  if (s.framework.kind != Framework::Kind::deepspeed) return;
  trace.zero_stage = s.zero_stage;
  p["reduce_dtype"] = name(s.gradient_type());
  p["overlap_comm"] = text_of(s.overlap_comm);
  if (s.accumulates_in_float32) p["grad_accum_dtype"] = name(DataType::float32);
  if (s.zero_stage == 0 || s.takes_bf16_optimizer()) return;
  p["reduce_bucket_size"] = std::to_string(s.reduce_bucket);
  p["reduce_scatter"] = text_of(s.reduce_scatter);
  p["contiguous_gradients"] = text_of(s.contiguous_gradients);
  if (s.round_robin) p["round_robin_gradients"] = "true";
  if (s.check_overflow_bf16) p["check_grad_overflow"] = text_of(*s.check_overflow_bf16);
  if (s.zero_stage < 3) {
    p["use_multi_rank_bucket_allreduce"] = text_of(s.multi_rank_all_reduce);
    trace.gradients = s.scatter_gradients ? Gradients::reduce_scatter : Gradients::as_shipped;
    if (s.scatter_gradients)
      p["gradients_note"] =
          "each bucket is cut into equal parts, which needs another ownership of the optimizer states";
    return;
  }
  p["stage3_prefetch_bucket_size"] = std::to_string(s.prefetch_bucket);
  p["stage3_param_persistence_threshold"] = std::to_string(s.persistence_threshold);
  if (s.model_persistence_threshold != StepSettings{}.model_persistence_threshold)
    p["stage3_model_persistence_threshold"] = std::to_string(s.model_persistence_threshold);
  p["stage3_max_live_parameters"] = std::to_string(s.max_live);
  p["stage3_max_reuse_distance"] = std::to_string(s.max_reuse_distance);
  if (s.fetches_by_all_reduce) p["stage3_use_all_reduce_for_fetch_params"] = "true";
  if (s.fetches_singly) p["stage3_allgather_sequential"] = "true";
  if (s.offloads_optimizer) p["offload_optimizer"] = s.offloads_to_disk ? "nvme" : "cpu";
  p["sub_group_size"] = std::to_string(s.sub_group);
  p["zero_quantized_weights"] = text_of(s.quantized_weights);
  p["zero_quantized_gradients"] = text_of(s.quantized_gradients);
  p["zero_hpz_partition_size"] = std::to_string(s.secondary_partition);
}

bool feeds_loss(const Event& event) {
  return std::any_of(event.operators.begin(), event.operators.end(),
                     [](const Operator& each) { return each.kind == Operator::Kind::loss; });
}

/// The bytes that the layers' kernels read and write, as a multiple of those of products and norms.
std::optional<Passes> eager_passes(const Model& model, const StepSettings& settings, const StepTrace& trace) {
  const auto precision = precision_of(settings);
  const auto layer = eager_layer_bytes(model, precision);
  if (!layer) return std::nullopt;
  double once = 0;
  for (const auto& event : trace.events) {
    const bool is_counted = event.kind == EventKind::compute && event.phase == Phase::forward && event.micro_step == 0;
    if (is_counted && !feeds_loss(event)) once += event.memory_bytes;
  }
  if (once <= 0) return std::nullopt;
  const auto tokens = static_cast<double>(model.dimensions.layers * settings.micro_batch * settings.sequence);
  const double copies =
      eager_parameter_bytes(precision) * static_cast<double>(model.elements() - looked_up_elements(model));
  return Passes{(tokens * layer->forward + copies) / once, (tokens * layer->backward + copies) / (2 * once)};
}

/// True if the step equals the one with the framework's default overlap.
bool has_usual_overlap(const Model& model, const StepSettings& wanted, const StepTrace& trace) {
  auto usual = wanted;
  usual.overlap.reset();
  usual.overlap_comm = usual_overlap_comm(wanted.zero_stage);
  if (!wanted.overlap && wanted.overlap_comm == usual.overlap_comm) return true;
  try {
    return generate_briefly(model, usual).events == trace.events;
  } catch (const BadUsage&) {
    return false;  // some models need another setting
  }
}

}  // namespace

StepTrace generate(const Model& model, const StepSettings& settings) {
  auto trace = generate_briefly(model, settings);
  trace.overlap_is_usual = has_usual_overlap(model, settings, trace);
  return trace;
}

StepTrace generate_briefly(const Model& given, const StepSettings& wanted) {
  check(wanted);
  check_unused(given, wanted);
  if (const auto problem = problem_of_recompute(given, wanted.recompute, "--recompute")) throw BadUsage(*problem);
  auto settings = wanted;
  const bool is_early = settings.framework.kind == Framework::Kind::deepspeed && settings.framework.is_before(0, 13, 0);
  // These versions ignored the configuration for stage 1.
  if (is_early && settings.zero_stage == 1) settings.overlap_comm = settings.contiguous_gradients = false;
  auto model = given;
  mark_recomputed(model, settings.recompute);
  StepTrace trace;
  trace.model = model.name;
  trace.model_elements = model.elements();
  trace.source = settings.framework.text();
  trace.ranks = settings.ranks;
  trace.micro_steps = settings.micro_steps;
  trace.micro_batch = settings.micro_batch;
  trace.sequence = settings.sequence;
  trace.id = fmt::format("{}-z{}-N{}-A{}", model.name, settings.zero_stage, settings.ranks, settings.micro_steps);
  if (settings.framework.kind != Framework::Kind::deepspeed)
    trace.id =
        fmt::format("{}-{}-N{}-A{}", model.name, settings.framework.text(), settings.ranks, settings.micro_steps);
  describe(settings, trace);
  trace.parameters["parameter_groups"] = std::to_string(parameter_groups(model, settings).size());
  if (model.trained_elements() < model.elements())
    trace.parameters["trained_elements"] = std::to_string(model.trained_elements());

  TraceBuilder builder(trace);
  auto walked = model;
  if (settings.framework.kind == Framework::Kind::pytorch_fsdp) train_whole_units(walked, settings.sharding);
  const auto hooks = make_hooks(walked, settings, builder, model.trained_elements());
  StepWalk walk(walked, settings, builder);
  // The first steps record and settle; later ones repeat.
  constexpr int most_steps = 8;
  bool is_steady = !hooks->remembers();
  if (is_steady) walk.run(*hooks);
  for (int step = 0; step < most_steps && !is_steady; ++step) {
    const auto previous = std::move(trace.events);
    trace.events.clear();
    builder.restart();
    walk.run(*hooks);
    is_steady = trace.events == previous;
  }
  if (!is_steady) trace.parameters["steady"] = "false";
  trace.eager_passes = eager_passes(model, settings, trace);
  trace.memory = memory_of(model, settings);
  return trace;
}

std::vector<std::vector<int>> parameter_groups(const Model& model, const StepSettings& settings) {
  std::vector<std::vector<int>> groups(static_cast<std::size_t>(settings.parameter_groups));
  if (model.parameter_groups) {
    groups = *model.parameter_groups;
  } else {
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const bool second = settings.parameter_groups == 2 && model.parameters[i].shape.size() < 2;
      groups[second ? 1 : 0].push_back(static_cast<int>(i));
    }
  }
  for (auto& group : groups)
    std::erase_if(group, [&](int index) { return !model.parameters[static_cast<std::size_t>(index)].requires_grad; });
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

double adam_bytes(double elements, bool clips_gradients) {
  constexpr double update_bytes = 3 * (4 + 4) + 4 + 2;  // master, mean and variance both ways; gradient; weight
  constexpr double clipping_bytes = 4 + (4 + 4);        // the norm; the scaling
  return elements * (update_bytes + (clips_gradients ? clipping_bytes : 0));
}

void add_adam(TraceBuilder& builder, double elements, bool clips_gradients) {
  builder.compute(0, adam_bytes(elements, clips_gradients), "adam");
}

}  // namespace ringmark::replay
