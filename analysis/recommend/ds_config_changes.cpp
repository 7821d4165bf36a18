#include "analysis/recommend/ds_config_changes.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/datatype.hpp"
#include "base/flags/option.hpp"
#include "replay/generate/step_settings.hpp"

namespace ringmark::analysis {

namespace {

bool is_deepspeed(std::string_view framework) {
  const auto parsed = replay::parse_framework(framework);
  return parsed && parsed->kind == replay::Framework::Kind::deepspeed;
}

}  // namespace

std::string ds_config_changes(const std::vector<std::pair<std::string, std::string>>& settings) {
  nlohmann::ordered_json changes;
  std::string comments;
  for (const auto& [flag, value] : settings) {
    std::uint64_t number = 0;
    const bool is_number = read_number(value, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(), number);
    if (flag == "framework" && !is_deepspeed(value)) return "";
    if (flag == "zero" && is_number) changes["zero_optimization"]["stage"] = number;
    if (flag == "reduce-bucket" && is_number) changes["zero_optimization"]["reduce_bucket_size"] = number;
    if (flag == "overlap" && value != "ideal") changes["zero_optimization"]["overlap_comm"] = value != "none";
    if (flag == "overlap" && value == "ideal")
      comments += "// overlap that never waits for the previous bucket: DeepSpeed has no setting for it\n";
    if (flag == "ds-config") comments += "// changes to the configuration in " + value + "\n";
    if (flag == "grad-accum" && is_number) changes["gradient_accumulation_steps"] = number;
    if (flag == "micro-batch" && is_number) changes["train_micro_batch_size_per_gpu"] = number;
    if (flag == "dtype") {
      const auto type = parse_datatype(value);
      if (type == DataType::bfloat16) changes["bf16"]["enabled"] = true;
      if (type == DataType::float16) changes["fp16"]["enabled"] = true;
    }
    if (flag == "gradients" && value == "reduce_scatter")
      comments +=
          "// gradients by reduce_scatter instead of all_reduce: DeepSpeed has no setting for it, its code has to "
          "change\n";
  }
  if (changes.is_null() && comments.empty()) return "";
  if (changes.is_null()) changes = nlohmann::ordered_json::object();
  constexpr int indent = 2;
  return comments + changes.dump(indent) + "\n";
}

}  // namespace ringmark::analysis
