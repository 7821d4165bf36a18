#include "sweeps/training/step_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark::sweep {
namespace {

using Json = nlohmann::ordered_json;

/// A value as JSON: true, 3, or a string.
Json json_of(const std::string& value) {
  const auto parsed = Json::parse(value, nullptr, false);
  return parsed.is_boolean() || parsed.is_number() ? parsed : Json(value);
}

}  // namespace

std::string in_words(const std::map<std::string, std::string>& changes) {
  if (changes.empty()) return "the default";
  std::vector<std::string> words;
  for (const auto& [name, value] : changes) words.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(words, " "));
}

nlohmann::ordered_json config_of_flags(std::map<std::string, Value>& flags) {
  Json config = Json::object();
  const auto move = [&](const char* flag, const char* pointer) {
    const auto found = flags.find(flag);
    if (found == flags.end() || !found->second) return;
    config[Json::json_pointer(pointer)] = json_of(*found->second);
    flags.erase(found);
  };
  move("micro-batch", "/train_micro_batch_size_per_gpu");
  move("grad-accum", "/gradient_accumulation_steps");
  move("zero", "/zero_optimization/stage");
  move("reduce-bucket", "/zero_optimization/reduce_bucket_size");
  move("clip-grad", "/gradient_clipping");
  const auto type = flags.contains("dtype") ? flags["dtype"].value_or("bf16") : "bf16";
  flags.erase("dtype");
  if (type == "bf16" || type == "bfloat16") config["bf16"]["enabled"] = true;
  if (type == "fp16" || type == "float16" || type == "half") config["fp16"]["enabled"] = true;
  return config;
}

void set(StepDescription& description, const Knob& knob, const std::string& value) {
  if (knob.pointer.empty() || !description.ds_config) {
    description.flags[std::string(knob.flag)] = value;
    return;
  }
  (*description.ds_config)[Json::json_pointer(std::string(knob.pointer))] = json_of(value);
  if (!knob.flag.empty()) description.flags.erase(std::string(knob.flag));
}

void set_batch(StepDescription& description, std::uint64_t micro_batch, std::uint64_t micro_steps) {
  description.flags.erase("micro-batch");
  description.flags.erase("grad-accum");
  if (description.ds_config) {
    (*description.ds_config)[micro_batch_key] = micro_batch;
    (*description.ds_config)[micro_steps_key] = micro_steps;
  } else {
    description.flags["micro-batch"] = std::to_string(micro_batch);
    description.flags["grad-accum"] = std::to_string(micro_steps);
  }
}

}  // namespace ringmark::sweep
