#include "analysis/ds_config_changes.hpp"

#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

namespace ringmark::analysis {
namespace {

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string ds_config_changes(const std::vector<std::pair<std::string, std::string>>& settings) {
  nlohmann::ordered_json changes;
  std::string comments;
  for (const auto& [flag, value] : settings) {
    const auto number = whole_number(value);
    if (flag == "framework" && !value.starts_with("deepspeed")) return "";
    if (flag == "zero" && number) changes["zero_optimization"]["stage"] = *number;
    if (flag == "reduce-bucket" && number) changes["zero_optimization"]["reduce_bucket_size"] = *number;
    if (flag == "overlap") changes["zero_optimization"]["overlap_comm"] = value != "none";
    if (flag == "grad-accum" && number) changes["gradient_accumulation_steps"] = *number;
    if (flag == "micro-batch" && number) changes["train_micro_batch_size_per_gpu"] = *number;
    if (flag == "dtype" && value != "fp32") changes[value]["enabled"] = true;
    if (flag == "gradients" && value == "reduce_scatter")
      comments +=
          "// gradients by reduce_scatter instead of all_reduce: no setting of DeepSpeed's, its code has to change\n";
  }
  if (changes.is_null()) return "";
  constexpr int indent = 2;
  return comments + changes.dump(indent) + "\n";
}

}  // namespace ringmark::analysis
