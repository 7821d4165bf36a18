#include "replay/flags/step_flags.hpp"

#include <array>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "replay/generate/ds_config.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::replay {
namespace {

std::optional<DataType> parse_precision(const std::string& text) {
  if (text == "fp32") return DataType::float32;
  if (text == "fp16") return DataType::float16;
  if (text == "bf16") return DataType::bfloat16;
  const auto type = parse_datatype(text);
  const bool is_float = type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16;
  return is_float ? type : std::nullopt;
}

std::string shipped_names() {
  std::vector<std::string> names;
  for (const auto& each : shipped_architectures()) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> names_of_unused(const Model& model) {
  std::vector<std::string> names;
  const auto uses = uses_of(model);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == 0) names.push_back(model.parameters[i].name);
  }
  return names;
}

/// Empty if the overlap that was asked for makes a difference.
std::string why_overlap_is_moot(const StepSettings& settings) {
  using Kind = Framework::Kind;
  const auto kind = settings.framework.kind;
  if (!settings.overlap || *settings.overlap == Overlap::none) return "";
  if (kind == Kind::deepspeed && settings.zero_stage == 0)
    return fmt::format("--overlap {}: ZeRO 0 communicates after the backward pass, whatever is asked for",
                       name(*settings.overlap));
  const bool has_depth = kind == Kind::pytorch_ddp || (kind == Kind::deepspeed && settings.zero_stage < 3);
  return *settings.overlap == Overlap::depth1 && !has_depth ? "--overlap depth1: is as ideal here; only DDP and ZeRO 1 "
                                                              "and 2 wait for the bucket before"
                                                            : "";
}

bool scatters_by_itself(const StepSettings& settings) {
  using Kind = Framework::Kind;
  const auto kind = settings.framework.kind;
  return kind == Kind::pytorch_fsdp || kind == Kind::megatron || (kind == Kind::deepspeed && settings.zero_stage == 3);
}

}  // namespace

void StepFlags::declare(CLI::App& app) {
  const auto add = [&](const char* flag, std::string& to, const std::string& help) {
    describing_.push_back(app.add_option(flag, to, help));
  };
  add("--model", model_, fmt::format("{}; or a model description, or a Hugging Face config.json", shipped_names()));
  add("--framework", framework_, "deepspeed-0.16.4, pytorch-ddp, pytorch-fsdp or megatron, with a version or without");
  add("--ds-config", ds_config_, "DeepSpeed's configuration file");
  add("--zero", zero_, "DeepSpeed's ZeRO stage, 0 to 3 (without --ds-config)");
  add("--grad-accum", grad_accum_, "micro-steps of an optimizer step");
  add("--micro-batch", micro_batch_, "samples that a rank works on in a micro-step");
  add("--sequence", sequence_, "tokens in a sample (2048)");
  add("--dtype", dtype_, "bf16, fp16 or fp32");
  add("--reduce-dtype", reduce_dtype_, "of gradients on the wire, if another than the model's");
  add("--param-groups", param_groups_, "2: tensors of more than one dimension, and the rest (1)");
  add("--overlap", overlap_, "none, depth1 or ideal, instead of what the framework's version does");
  add("--gradients", gradients_, "reduce_scatter: instead of all_reduce in ZeRO 1 and 2, as the talks changed it");
  add("--bucket-cap-mb", bucket_cap_mb_, "of DDP, in MiB (25)");
  add("--reduce-bucket", reduce_bucket_, "in elements: of DeepSpeed (500000000), or Megatron's --ddp-bucket-size");
  app.add_option("--ranks-per-node", ranks_per_node_, "for what differs within a node (8, or the trace's)");
  add("--clip-grad", clip_grad_, "the norm at which gradients are clipped: 0 for no clipping, which needs no norm");
  describing_.push_back(
      app.add_flag("--find-unused-parameters", find_unused_, "of DDP: tensors may stay without a gradient"));
  describing_.push_back(app.add_flag("--recompute", recompute_, "activations of layers are computed again"));
}

std::vector<std::string> StepFlags::given() const {
  std::vector<std::string> flags;
  for (const auto* option : describing_) {
    if (option->count() > 0) flags.push_back(option->get_name());
  }
  return flags;
}

bool StepFlags::describe_a_step(FlagReader& read, const std::string& trace, bool is_needed) const {
  const auto flags = given();
  if (!trace.empty() && !flags.empty())
    read.problem("{}: {} says the step already; leave one out", fmt::join(flags, ", "), trace);
  if (trace.empty() && flags.empty() && is_needed)
    read.problem("the step: give a trace, or --model and what shapes its step");
  return trace.empty() && !flags.empty();
}

std::optional<int> StepFlags::ranks_per_node(FlagReader& read) const {
  if (ranks_per_node_.empty()) return std::nullopt;
  int ranks = 1;
  read.number("--ranks-per-node", ranks_per_node_, 1, 1 << 20, ranks);
  return ranks;
}

StepFlags::Step StepFlags::interpret(FlagReader& read, int ranks) const {
  Step step;
  if (model_.empty()) {
    read.problem("--model: missing; give one of {}, or a file", shipped_names());
    return step;
  }
  step.model = load_model(model_);
  auto framework = Framework{};
  if (!framework_.empty()) {
    const auto parsed = parse_framework(framework_);
    if (!parsed) {
      read.problem(
          "--framework {}: give deepspeed, pytorch-ddp, pytorch-fsdp or megatron, and a version if you like, as "
          "in deepspeed-0.16.4",
          framework_);
      return step;
    }
    framework = *parsed;
  }
  DsConfig config;
  if (!ds_config_.empty()) {
    if (framework.kind != Framework::Kind::deepspeed)
      read.problem("--ds-config {}: is DeepSpeed's, and --framework {} was asked for", ds_config_, framework_);
    config = read_ds_config(ds_config_, framework, step.model.dimensions.hidden, ranks);
    if (!zero_.empty()) read.problem("--zero {}: {} says the stage already; leave one out", zero_, ds_config_);
    if (!reduce_bucket_.empty())
      read.problem("--reduce-bucket {}: {} already says it; leave one out", reduce_bucket_, ds_config_);
    if (!clip_grad_.empty()) read.problem("--clip-grad {}: {} already says it; leave one out", clip_grad_, ds_config_);
  }
  step.settings = config.settings;
  step.notes = config.notes;
  if (const auto unused = names_of_unused(step.model); !unused.empty())
    step.notes.push_back(fmt::format("{}: no module uses {}", model_, fmt::join(unused, ", ")));
  if (!param_groups_.empty() && step.model.parameter_groups)
    read.problem("--param-groups {}: {} has its own parameter_groups; leave one out", param_groups_, model_);
  step.settings.framework = framework;
  step.settings.ranks = ranks;
  interpret_common(read, step.settings, config);
  interpret_of_framework(read, step.settings);
  if (const auto note = why_overlap_is_moot(step.settings); !note.empty()) step.notes.push_back(note);
  const auto& settings = step.settings;
  if (!reduce_bucket_.empty() && framework.kind == Framework::Kind::deepspeed && settings.zero_stage == 0)
    step.notes.push_back(
        fmt::format("--reduce-bucket {}: ZeRO 0 has buckets of 500000000, whatever is asked for", reduce_bucket_));
  if (settings.quantized_gradients && settings.ranks <= settings.ranks_per_node)
    step.notes.push_back(
        fmt::format("zero_quantized_gradients: {} ranks are one node of {}, within which DeepSpeed does "
                    "not quantise (--ranks-per-node)",
                    settings.ranks, settings.ranks_per_node));
  return step;
}

void StepFlags::interpret_common(FlagReader& read, StepSettings& settings, const DsConfig& config) const {
  const auto contradicts = [&](const char* flag, const std::string& text, const auto& given, const auto& configured) {
    if (configured && *configured != given)
      read.problem("{} {}: {} says something else; make them agree, or leave the flag out", flag, text, ds_config_);
  };
  settings.micro_steps = config.micro_steps.value_or(1);
  if (!grad_accum_.empty()) {
    read.number("--grad-accum", grad_accum_, 1, 100'000, settings.micro_steps);
    contradicts("--grad-accum", grad_accum_, settings.micro_steps, config.micro_steps);
  }
  settings.micro_batch = config.micro_batch.value_or(1);
  if (!micro_batch_.empty()) {
    read.number("--micro-batch", micro_batch_, std::uint64_t{1}, std::uint64_t{1} << 30, settings.micro_batch);
    contradicts("--micro-batch", micro_batch_, settings.micro_batch, config.micro_batch);
  }
  if (!sequence_.empty())
    read.number("--sequence", sequence_, std::uint64_t{1}, std::uint64_t{1} << 30, settings.sequence);
  settings.type = config.type.value_or(DataType::bfloat16);
  if (!dtype_.empty()) {
    const auto type = parse_precision(dtype_);
    if (!type) read.problem("--dtype {}: give bf16, fp16 or fp32", dtype_);
    settings.type = type.value_or(settings.type);
    contradicts("--dtype", dtype_, settings.type, config.type);
  }
  if (!reduce_dtype_.empty()) {
    settings.reduce_type = parse_precision(reduce_dtype_);
    if (!settings.reduce_type) read.problem("--reduce-dtype {}: give bf16, fp16 or fp32", reduce_dtype_);
    contradicts("--reduce-dtype", reduce_dtype_, settings.reduce_type, config.settings.reduce_type);
  }
  if (!param_groups_.empty()) read.number("--param-groups", param_groups_, 1, 2, settings.parameter_groups);
  settings.ranks_per_node = ranks_per_node(read).value_or(settings.ranks_per_node);
  settings.recompute = recompute_;
}

void StepFlags::interpret_of_framework(FlagReader& read, StepSettings& settings) const {
  if (!zero_.empty() && ds_config_.empty()) {
    read.number("--zero", zero_, 0, 3, settings.zero_stage);
    settings.overlap_comm = settings.zero_stage == 3;
  }
  if (!overlap_.empty()) {
    settings.overlap = parse_overlap(overlap_);
    if (!settings.overlap) read.problem("--overlap {}: give none, depth1 or ideal", overlap_);
    // Overlap of stages 1 and 2 needs overlap_comm, which changes the order of buckets.
    const bool is_wanted = settings.overlap != Overlap::none;
    if (ds_config_.empty()) settings.overlap_comm = is_wanted;
    if (is_wanted && !settings.overlap_comm && settings.zero_stage > 0)
      read.problem("--overlap {}: {} has no overlap_comm; set it there, or leave the flag out", overlap_, ds_config_);
  }
  if (!gradients_.empty()) {
    read.choice("--gradients", gradients_, std::array{"all_reduce", "reduce_scatter"});
    settings.scatter_gradients = gradients_ == "reduce_scatter";
    if (gradients_ == "all_reduce" && scatters_by_itself(settings))
      read.problem("--gradients all_reduce: {} has reduce_scatter in its place; leave it out",
                   settings.zero_stage == 3 ? "ZeRO 3" : settings.framework.text());
  }
  if (!bucket_cap_mb_.empty()) {
    double mib = 0;
    read.number("--bucket-cap-mb", bucket_cap_mb_, 1e-6, 1e6, mib);
    settings.bucket_cap_bytes = static_cast<std::uint64_t>(mib * (1U << 20U));
    if (settings.framework.kind != Framework::Kind::pytorch_ddp)
      read.problem("--bucket-cap-mb {}: is DDP's; give --framework pytorch-ddp", bucket_cap_mb_);
  }
  if (!clip_grad_.empty()) {
    double norm = 0;
    read.number("--clip-grad", clip_grad_, 0.0, 1e9, norm);
    settings.clips_gradients = norm > 0;
    if (settings.framework.kind == Framework::Kind::pytorch_ddp)
      read.problem("--clip-grad {}: DDP clips without a collective; leave it out", clip_grad_);
  }
  settings.find_unused_parameters = find_unused_;
  if (find_unused_ && settings.framework.kind != Framework::Kind::pytorch_ddp)
    read.problem("--find-unused-parameters: is DDP's; give --framework pytorch-ddp");
  if (reduce_bucket_.empty()) return;
  std::uint64_t elements = 1;
  read.number("--reduce-bucket", reduce_bucket_, std::uint64_t{1}, std::uint64_t{1} << 40, elements);
  if (settings.framework.kind == Framework::Kind::deepspeed) {
    settings.reduce_bucket = elements;
  } else if (settings.framework.kind == Framework::Kind::megatron) {
    settings.ddp_bucket = elements;
  } else {
    read.problem("--reduce-bucket {}: is DeepSpeed's and Megatron's; {} has none", reduce_bucket_,
                 settings.framework.text());
  }
}

}  // namespace ringmark::replay
