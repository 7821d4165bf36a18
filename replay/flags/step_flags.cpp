#include "replay/flags/step_flags.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "replay/flags/foreign_flags.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"

namespace ringmark::replay {
namespace {

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

/// Why the requested overlap has no effect; empty if it has one.
std::string why_overlap_is_moot(const StepSettings& settings) {
  using Kind = Framework::Kind;
  const auto kind = settings.framework.kind;
  if (!settings.overlap || *settings.overlap == Overlap::none) return "";
  if (kind == Kind::deepspeed && settings.zero_stage == 0)
    return fmt::format("--overlap {}: has no effect, since ZeRO 0 communicates after the backward pass",
                       name(*settings.overlap));
  const bool has_depth = kind == Kind::pytorch_ddp || (kind == Kind::deepspeed && settings.zero_stage < 3);
  return *settings.overlap == Overlap::depth1 && !has_depth ? "--overlap depth1: same as ideal here; only DDP and ZeRO "
                                                              "1 and 2 wait for the previous bucket"
                                                            : "";
}

bool scatters_by_itself(const StepSettings& settings) {
  using Kind = Framework::Kind;
  const auto kind = settings.framework.kind;
  return kind == Kind::pytorch_fsdp || kind == Kind::pytorch_fsdp2 ||
         (kind == Kind::deepspeed && settings.zero_stage == 3);
}

/// Frameworks' short names first: they are the ones that --help shows.
std::vector<std::pair<std::string, DataType>> precisions() {
  return {{"bf16", DataType::bfloat16},     {"fp16", DataType::float16},    {"fp32", DataType::float32},
          {"bfloat16", DataType::bfloat16}, {"float16", DataType::float16}, {"float32", DataType::float32},
          {"half", DataType::float16},      {"float", DataType::float32}};
}

}  // namespace

void StepFlags::declare() {
  const StepSettings defaults;
  const auto first = flags_.own().size();
  flags_.group("The step");
  flags_.file("--model", model_,
              fmt::format("{}; or a model description, or a Hugging Face config.json", shipped_names()));
  flags_.word(
      "--framework", "NAME", framework_.text(),
      [this](const std::string& word) -> std::string {
        is_torchtitan_ = word == "torchtitan" || word == "torchtitan-0.3.0";
        if (is_torchtitan_) return "";
        const auto framework = parse_framework(word);
        if (framework) framework_ = *framework;
        return framework ? ""
                         : "give deepspeed, pytorch-ddp, pytorch-fsdp, pytorch-fsdp2 or megatron, optionally with a "
                           "version, as in deepspeed-0.16.4; or torchtitan-0.3.0";
      },
      "deepspeed, pytorch-ddp, pytorch-fsdp, pytorch-fsdp2 (fully_shard) or megatron, optionally with a version; or "
      "torchtitan, always version 0.3.0; by default megatron if --tp or other parallelism is given");
  flags_.file("--ds-config", ds_config_, "DeepSpeed's configuration file");
  flags_.number("--zero", zero_, 0, 3, "DeepSpeed's ZeRO stage, 0 to 3 (without --ds-config)")
      .default_is(defaults.zero_stage);
  flags_.number("--grad-accum", grad_accum_, 1, 100'000, "micro-steps of an optimizer step")
      .default_is(defaults.micro_steps);
  constexpr std::uint64_t most_batch = std::uint64_t{1} << 30, most_bucket = std::uint64_t{1} << 40;
  flags_.number("--micro-batch", micro_batch_, 1, most_batch, "samples per rank in a micro-step")
      .default_is(defaults.micro_batch);
  flags_.number("--sequence", sequence_, 1, most_batch, "tokens in a sample").default_is(defaults.sequence);
  flags_.choice("--dtype", type_, precisions(), "the model's type: bf16, fp16 or fp32").default_is("bf16");
  flags_.choice("--reduce-dtype", reduce_type_, precisions(),
                "type of gradients on the wire, if different from the model's");
  flags_
      .number("--param-groups", parameter_groups_, 1, 2,
              "2: one group for tensors with more than one dimension, one for the rest")
      .default_is(defaults.parameter_groups);
  flags_.choice("--overlap", overlap_,
                {{"none", Overlap::none}, {"depth1", Overlap::depth1}, {"ideal", Overlap::ideal}},
                "override how the framework's version overlaps communication: none, depth1 or ideal");
  flags_.choice("--gradients", scatters_, {{"all_reduce", false}, {"reduce_scatter", true}},
                "reduce_scatter: use it instead of all_reduce in ZeRO 1 and 2, as published talks did");
  flags_.number("--bucket-cap-mb", bucket_cap_MiB_, 1e-6, 1e6, "DDP's bucket, in MiB", "MIB")
      .default_is(usual_bucket_cap_bytes >> 20U);
  flags_.number("--reduce-bucket", reduce_bucket_, 1, most_bucket,
                fmt::format("elements of a bucket: DeepSpeed's ({} by default), or Megatron's --ddp-bucket-size",
                            defaults.reduce_bucket));
  flags_.number("--clip-grad", clip_norm_, 0, 1e9,
                "clip gradients at this norm; 0: no clipping, so no norm is computed", "NORM");
  flags_.toggle("--find-unused-parameters", finds_unused_, "DDP: some tensors may get no gradient");
  flags_
      .word(
          "--recompute", "KIND", "",
          [this](const std::string& word) -> std::string {
            const auto recompute = parse_recompute(word);
            recompute_ = recompute.value_or(Recompute{});
            return recompute ? "" : fmt::format("give {}", recompute_words);
          },
          fmt::format("activations to recompute: {}; without a value: full", recompute_words))
      .value_is_optional("full");
  sharding_.declare();
  for (auto i = first; i < flags_.own().size(); ++i) names_.push_back(flags_.own()[i].name);
  flags_.number(
      "--ranks-per-node", ranks_per_node_, 1, 1 << 20,
      fmt::format("ranks in a node, where the step or the network distinguishes nodes; by default {}, or the trace's",
                  defaults.ranks_per_node));
  const auto kinds = software_choices();
  flags_.choice("--software", software_, {kinds.begin(), kinds.end()},
                fmt::format("how well the kernels are fused: {}; by default the trace's, or fused-attention with an "
                            "unfused loss",
                            software_names()));
  hint_at_foreign_flags(flags_);
}

bool StepFlags::describe_a_step(const std::string& trace, bool is_needed) const {
  std::vector<std::string> given;
  for (const auto& name : names_) {
    if (flags_.is_given(name)) given.push_back(name);
  }
  if (!trace.empty()) {
    for (const auto& flag : given)
      flags_.problem(flag, fmt::format("{} already describes the step", trace), "leave one out");
  } else if (given.empty() && is_needed) {
    flags_.add_problem({.text = "the step is missing", .remedy = "give a trace, or --model and the flags of its step"});
  }
  return trace.empty() && !given.empty();
}

void StepFlags::refuse_all_but(const std::vector<std::string>& allowed, const std::string& by) const {
  for (const auto& name : names_) {
    if (flags_.is_given(name) && std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      flags_.problem(name, fmt::format("cannot be combined with {}", by), "leave one out");
  }
}

void StepFlags::refuse_other_frameworks() const {
  if (flags_.is_given("--framework") && !is_torchtitan_ && framework_.kind != Framework::Kind::megatron)
    flags_.problem("--framework", "only Megatron-core and torchtitan are modelled with more than data parallelism",
                   "give megatron-core or torchtitan, or leave it out");
}

/// Reads a framework's own file, which describes the whole step; nothing if none was given.
std::optional<RoleStep> StepFlags::read_file_of_step(int ranks) const {
  const auto& arguments = parallel_.arguments_file();
  const auto& configuration = parallel_.torchtitan_file();
  if (arguments.empty() && configuration.empty()) return std::nullopt;
  const std::string flag = arguments.empty() ? "--torchtitan-config" : "--megatron-args";
  refuse_all_but({"--framework"}, flag + ", which describes the whole step");
  refuse_other_frameworks();
  if (!arguments.empty() && !configuration.empty())
    flags_.problem(flag, "cannot be combined with --torchtitan-config", "leave one out");
  if (flags_.is_given("--framework") && is_torchtitan_ != arguments.empty())
    flags_.problem("--framework", fmt::format("cannot be combined with {}", flag), "leave one out");
  if (parallel_.are_given()) flags_.problem(flag, "already describes the parallelism", "leave one out");
  if (arguments.empty()) return torchtitan::read_arguments(configuration, ranks);
  return megatron::read_arguments(arguments, ranks);
}

bool StepFlags::is_parallel() const {
  return parallel_.are_given() || is_torchtitan_ || framework_.kind == Framework::Kind::megatron;
}

std::optional<RoleStep> StepFlags::interpret_parallel(int ranks) const {
  if (auto step = read_file_of_step(ranks)) return step;
  if (!is_parallel()) return std::nullopt;
  const bool are_given = parallel_.are_given();
  std::vector<std::string> allowed{"--model",    "--framework", "--micro-batch", "--grad-accum",
                                   "--sequence", "--dtype",     "--recompute"};
  if (!is_torchtitan_) allowed.insert(allowed.end(), {"--reduce-dtype", "--reduce-bucket", "--clip-grad", "--overlap"});
  refuse_all_but(allowed,
                 are_given ? "--tp, --pp and other parallelism" : "--framework " + flags_.given("--framework"));
  refuse_other_frameworks();
  if (model_.empty()) {
    flags_.problem("--model", "is missing", fmt::format("give one of {}, or a config.json", shipped_names()));
    return std::nullopt;
  }
  StepSettings common;
  common.ranks = ranks;
  common.reduce_type = reduce_type_;
  settle_common(common, {});
  if (is_torchtitan_) return parallel_.interpret_torchtitan(model_, common);
  common.framework.kind = Framework::Kind::megatron;
  common.overlap = overlap_;
  if (clip_norm_) common.clips_gradients = *clip_norm_ > 0;
  auto step = parallel_.interpret(model_, common);
  step.settings.bucket = reduce_bucket_;
  if (const auto note = why_overlap_is_moot(common); !note.empty()) step.notes.push_back(note);
  return step;
}

StepFlags::Step StepFlags::interpret(int ranks) const {
  Step step;
  if (is_parallel()) return step;  // interpret_parallel() has reported what is wrong
  if (model_.empty()) {
    flags_.problem("--model", "is missing", fmt::format("give one of {}, or a file", shipped_names()));
    return step;
  }
  step.model = load_model(model_);
  const auto config = read_config(step.model, ranks);
  step.settings = config.settings;
  step.notes = config.notes;
  step.notes.insert(step.notes.end(), step.model.notes.begin(), step.model.notes.end());
  if (const auto unused = names_of_unused(step.model); !unused.empty())
    step.notes.push_back(fmt::format("{}: no module uses {}", model_, fmt::join(unused, ", ")));
  if (parameter_groups_ && step.model.parameter_groups)
    flags_.problem("--param-groups", fmt::format("{} has its own parameter_groups", model_), "leave one out");
  auto& settings = step.settings;
  settings.framework = framework_;
  settings.ranks = ranks;
  settle_common(settings, config);
  settle_deepspeed(settings);
  settle_other(settings);
  sharding_.settle(settings);
  const bool frees_scores = !software_of(settings.software.value_or(usual_software)).fuses_attention;
  if (settings.recompute.kind == Recompute::Kind::selective && !frees_scores)
    step.notes.push_back(
        "--recompute selective: fused attention keeps no scores, so this frees next to nothing; give --software "
        "unfused if your software keeps them");
  if (const auto note = why_overlap_is_moot(settings); !note.empty()) step.notes.push_back(note);
  if (reduce_bucket_ && framework_.kind == Framework::Kind::deepspeed && settings.zero_stage == 0)
    step.notes.push_back(fmt::format("--reduce-bucket {}: has no effect, since ZeRO 0 always has buckets of {}",
                                     *reduce_bucket_, StepSettings().reduce_bucket));
  if (settings.quantized_gradients && settings.ranks <= settings.ranks_per_node)
    step.notes.push_back(
        fmt::format("zero_quantized_gradients: has no effect: {} ranks fit into one node of {}, within which "
                    "DeepSpeed does not quantise (--ranks-per-node)",
                    settings.ranks, settings.ranks_per_node));
  return step;
}

DsConfig StepFlags::read_config(const Model& model, int ranks) const {
  if (ds_config_.empty()) return {};
  if (framework_.kind != Framework::Kind::deepspeed)
    flags_.problem("--ds-config",
                   fmt::format("is for DeepSpeed, but the framework is {}", flags_.given("--framework")));
  GivenByFlags given{type_, zero_, reduce_bucket_, {}, grad_accum_, micro_batch_};
  if (clip_norm_) given.clips_gradients = *clip_norm_ > 0;
  auto config = read_ds_config(ds_config_, framework_, model.dimensions.hidden, ranks, given);
  for (const char* flag : {"--zero", "--reduce-bucket", "--clip-grad"}) {
    if (flags_.is_given(flag) && !config.flags.contains(flag))
      flags_.problem(flag, fmt::format("follows from {}", ds_config_), "leave one out");
  }
  return config;
}

/// Takes the flag's value, or else the file's. Adds a problem if they differ.
template <class Value>
void StepFlags::settle(const char* flag, const std::optional<Value>& given, const std::optional<Value>& configured,
                       Value& to) const {
  if (given && configured && *given != *configured)
    flags_.problem(flag, fmt::format("{} has another value", ds_config_), "make them agree, or leave the flag out");
  if (configured) to = *configured;
  if (given) to = *given;
}

void StepFlags::settle_common(StepSettings& settings, const DsConfig& config) const {
  settle("--grad-accum", grad_accum_, config.micro_steps, settings.micro_steps);
  settle("--micro-batch", micro_batch_, config.micro_batch, settings.micro_batch);
  settle("--dtype", type_, config.type, settings.type);
  if (reduce_type_) {
    auto type = *reduce_type_;
    settle("--reduce-dtype", reduce_type_, config.settings.reduce_type, type);
    settings.reduce_type = type;
  }
  settings.sequence = sequence_.value_or(settings.sequence);
  settings.parameter_groups = parameter_groups_.value_or(settings.parameter_groups);
  settings.ranks_per_node = ranks_per_node_.value_or(settings.ranks_per_node);
  settings.recompute = recompute_;
  settings.software = software_;
}

void StepFlags::settle_deepspeed(StepSettings& settings) const {
  if (zero_ && ds_config_.empty()) {
    settings.zero_stage = *zero_;
    settings.overlap_comm = usual_overlap_comm(settings.zero_stage);
  }
  if (overlap_) {
    settings.overlap = overlap_;
    // Overlap of stages 1 and 2 needs overlap_comm, which changes the order of buckets.
    const bool is_wanted = settings.overlap != Overlap::none;
    if (ds_config_.empty()) settings.overlap_comm = is_wanted;
    if (is_wanted && !settings.overlap_comm && settings.zero_stage > 0)
      flags_.problem("--overlap", fmt::format("needs overlap_comm, which {} does not enable", ds_config_),
                     "enable it there, or leave the flag out");
  }
  if (!scatters_) return;
  settings.scatter_gradients = *scatters_;
  if (!*scatters_ && scatters_by_itself(settings))
    flags_.problem(
        "--gradients",
        fmt::format("{} always uses reduce_scatter", settings.zero_stage == 3 ? "ZeRO 3" : settings.framework.text()),
        "leave it out");
}

void StepFlags::settle_other(StepSettings& settings) const {
  const auto kind = settings.framework.kind;
  const bool is_ddp = kind == Framework::Kind::pytorch_ddp;
  if (bucket_cap_MiB_) {
    settings.bucket_cap_bytes = static_cast<std::uint64_t>(*bucket_cap_MiB_ * (1U << 20U));
    if (!is_ddp) flags_.problem("--bucket-cap-mb", "is for DDP", "give --framework pytorch-ddp");
  }
  if (clip_norm_) {
    settings.clips_gradients = *clip_norm_ > 0;
    if (is_ddp) flags_.problem("--clip-grad", "DDP clips without a collective", "leave it out");
  }
  settings.find_unused_parameters = finds_unused_;
  if (finds_unused_ && !is_ddp)
    flags_.problem("--find-unused-parameters", "is for DDP", "give --framework pytorch-ddp");
  if (!reduce_bucket_) return;
  if (kind == Framework::Kind::deepspeed) {
    settings.reduce_bucket = *reduce_bucket_;
  } else {
    flags_.problem("--reduce-bucket",
                   fmt::format("is for DeepSpeed and Megatron, not for {}", settings.framework.text()));
  }
}

}  // namespace ringmark::replay
