#include "replay/generate/step_settings.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"

namespace ringmark::replay {
namespace {

constexpr std::array<std::pair<std::string_view, Framework::Kind>, 5> frameworks{{
    {"pytorch-ddp", Framework::Kind::pytorch_ddp},
    {"pytorch-fsdp", Framework::Kind::pytorch_fsdp},
    {"deepspeed", Framework::Kind::deepspeed},
    {"megatron", Framework::Kind::megatron},
    {"pytorch-fsdp2", Framework::Kind::pytorch_fsdp2},
}};

/// Checks the number of ranks that share one copy of the states, and the number that keep one copy of the weights.
void check_sharding(const StepSettings& settings, std::vector<std::string>& problems) {
  using Kind = Framework::Kind;
  const auto kind = settings.framework.kind;
  const auto& sharding = settings.sharding;
  if (kind != Kind::pytorch_fsdp && kind != Kind::pytorch_fsdp2) return;
  if (kind == Kind::pytorch_fsdp2 && settings.framework.is_before(2, 4, 0))
    problems.push_back(fmt::format("--framework {}: fully_shard is modelled from version 2.4 on; give a later version",
                                   settings.framework.text()));
  const int degree = settings.shard_degree();
  if (kind == Kind::pytorch_fsdp && sharding.degree && !sharding.is_hybrid())
    problems.push_back(
        fmt::format("--shard-degree {}: is for FSDP's hybrid strategies; give --sharding-strategy "
                    "HYBRID_SHARD, or leave it out",
                    degree));
  if (settings.is_hybrid() && (degree < 2 || degree >= settings.ranks || settings.ranks % degree != 0))
    problems.push_back(fmt::format(
        "--shard-degree{}: give a proper divisor of the {} ranks that is at least 2",
        sharding.degree ? fmt::format(" {}", degree)
                        : fmt::format(" is not given, and the {} ranks of a node cannot share a copy", degree),
        settings.ranks));
  const auto* kept_by = sharding.reshard_after_forward ? std::get_if<int>(&*sharding.reshard_after_forward) : nullptr;
  if (kept_by != nullptr && (*kept_by < 2 || *kept_by >= degree || degree % *kept_by != 0))
    problems.push_back(fmt::format(
        "--reshard-after-forward {}: give true, false, or a number of at least 2 that is a proper divisor of "
        "the {} ranks that share one copy",
        *kept_by, degree));
}

}  // namespace

std::string overlap_comm_words(const StepSettings& settings) {
  if (settings.framework.kind != Framework::Kind::deepspeed || settings.zero_stage == 0) return "";
  if (settings.overlap_comm != usual_overlap_comm(settings.zero_stage))
    return settings.overlap_comm ? "with overlap_comm" : "without overlap_comm";
  return settings.overlap_comm ? "with overlap_comm, DeepSpeed's default for ZeRO 3"
                               : "without overlap_comm, DeepSpeed's default for ZeRO 1 and 2 (many configurations set "
                                 "it; give yours)";
}

Precision precision_of(const StepSettings& settings) {
  if (settings.type == DataType::float32) return Precision::single;
  return settings.framework.kind == Framework::Kind::pytorch_ddp ? Precision::autocast : Precision::half;
}

std::string Framework::text() const {
  return fmt::format("{}-{}", frameworks[static_cast<std::size_t>(kind)].first, fmt::join(version, "."));
}

std::optional<Framework> parse_framework(std::string_view text) {
  constexpr std::string_view core = "megatron-core", megatron = "megatron";
  if (text.starts_with(core)) return parse_framework(std::string(megatron) + std::string(text.substr(core.size())));
  for (const auto& [name, kind] : frameworks) {
    if (!text.starts_with(name)) continue;
    auto rest = text.substr(name.size());
    if (rest.empty()) return Framework{kind, Framework::usual_version(kind)};
    if (rest.front() != '-') continue;  // a longer name
    if (rest.size() == 1) return std::nullopt;
    rest.remove_prefix(1);
    Framework result{kind, {0, 0, 0}};
    for (std::size_t part = 0; part < result.version.size() && !rest.empty(); ++part) {
      const auto dot = std::min(rest.find('.'), rest.size());
      if (!read_number(std::string(rest.substr(0, dot)), 0, 9999, result.version[part])) return std::nullopt;
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return rest.empty() ? std::optional(result) : std::nullopt;
  }
  return std::nullopt;
}

DataType StepSettings::gradient_type() const {
  if (reduce_type) return *reduce_type;
  // From 2.15 on, fully_shard reduces in the type of the sharded weights, which is float32 in mixed precision.
  const bool keeps_float32 = framework.kind == Framework::Kind::pytorch_fsdp2 && !framework.is_before(2, 15, 0);
  return keeps_float32 ? DataType::float32 : type;
}

bool StepSettings::is_hybrid() const {
  using Kind = Framework::Kind;
  return (framework.kind == Kind::pytorch_fsdp && sharding.is_hybrid()) ||
         (framework.kind == Kind::pytorch_fsdp2 && sharding.degree.has_value());
}

int StepSettings::shard_degree() const {
  const bool is_fsdp = framework.kind == Framework::Kind::pytorch_fsdp;
  if (is_fsdp && sharding.strategy == ShardingStrategy::no_shard) return 1;
  return sharding.degree.value_or(is_fsdp && sharding.is_hybrid() ? ranks_per_node : ranks);
}

Overlap StepSettings::effective_overlap() const {
  if (overlap) return *overlap;
  if (framework.kind != Framework::Kind::deepspeed) return Overlap::ideal;
  if (!overlap_comm) return Overlap::none;
  if (zero_stage == 3) return Overlap::ideal;
  // Versions 0.17.5 to 0.18.4 also wait for the bucket just launched.
  if (!framework.is_before(0, 17, 5) && framework.is_before(0, 18, 5)) return Overlap::none;
  return framework.is_before(0, 14, 3) ? Overlap::ideal : Overlap::depth1;
}

void check(const StepSettings& settings) {
  std::vector<std::string> problems;
  if (settings.framework.kind == Framework::Kind::megatron)
    problems.emplace_back("--framework megatron: its steps have roles, even with data parallelism alone");
  const bool is_deepspeed = settings.framework.kind == Framework::Kind::deepspeed;
  if (!is_deepspeed && settings.zero_stage > 0)
    problems.push_back(fmt::format(
        "--zero {}: ZeRO is part of DeepSpeed; give --framework deepspeed, or leave --zero out", settings.zero_stage));
  if (is_deepspeed && settings.framework.is_before(0, 12, 4))
    problems.push_back(
        fmt::format("--framework {}: versions before 0.12.4 reduce gradients differently; give a later one",
                    settings.framework.text()));
  if (settings.zero_stage != 3 &&
      (settings.quantized_weights || settings.quantized_gradients || settings.secondary_partition > 1))
    problems.push_back(fmt::format("ZeRO++ needs stage 3, but the stage is {}", settings.zero_stage));
  if (settings.secondary_partition > 1 && settings.ranks % settings.secondary_partition != 0)
    problems.push_back(fmt::format("zero_hpz_partition_size {}: does not divide {} ranks", settings.secondary_partition,
                                   settings.ranks));
  if (settings.quantized_gradients && settings.ranks % std::min(settings.ranks_per_node, settings.ranks) != 0)
    problems.push_back(
        fmt::format("--ranks-per-node {}: does not divide {} ranks", settings.ranks_per_node, settings.ranks));
  if (settings.scatter_gradients && settings.zero_stage != 1 && settings.zero_stage != 2)
    problems.push_back("--gradients reduce_scatter: changes only ZeRO stages 1 and 2; stage 3 always does this");
  if (settings.scatter_gradients && settings.takes_bf16_optimizer())
    problems.push_back(
        "--gradients reduce_scatter: cannot be combined with grad_accum_dtype fp32, which uses another optimizer");
  check_sharding(settings, problems);
  if (settings.reduce_bucket == 0) problems.push_back("reduce_bucket_size: give at least 1");
  if (!problems.empty()) throw BadUsage(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace ringmark::replay
