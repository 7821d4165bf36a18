#include "replay/generate/ds_config_checks.hpp"

#include <algorithm>

#include "replay/generate/ds_config_keys.hpp"

namespace ringmark::replay {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// `enabled` switches a section, either directly in it or in the parameters that its groups share. A section without it
/// changes the step if any of its settings does that has no row of its own.
bool changes_step(const Json& value, const std::string& path, std::string_view usual) {
  if (!value.is_object()) return replay::changes_step(text_of(value), usual);
  for (const auto* key : {"enabled", "shared_parameters"}) {
    if (const auto found = value.find(key); found != value.end()) return changes_step(*found, path, usual);
  }
  const auto entries = value.items();
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
    return unmodelled_ds_config_key(entry.key(), path) == nullptr && changes_step(entry.value(), path, usual);
  });
}

/// "zero_optimization: stage" of "zero_optimization.stage".
std::string shown(std::string path) {
  for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot)) path.replace(dot, 1, ": ");
  return path;
}

class KeyCheck {
 public:
  KeyCheck(const DsConfigReader& read, DsConfig& config) : read_(read), config_(config) {}

  void check(const Json& object, const std::string& section) {
    for (const auto& [key, value] : object.items()) {
      const auto path = section.empty() ? key : section + "." + key;
      const bool is_known = class_of_ds_config_key(key, section).has_value();
      if (!is_known) {
        report_unknown(key, section, shown(path));
      } else if (const auto* unmodelled = unmodelled_ds_config_key(key, section);
                 unmodelled != nullptr && changes_step(value, path, unmodelled->usual)) {
        report(shown(path), value, *unmodelled);
      }
      if (is_known && value.is_object()) check(value, path);
    }
  }

 private:
  void report_unknown(const std::string& key, const std::string& section, const std::string& where) {
    const auto meant = meant_key(key, section);
    if (!meant.empty() && class_of_ds_config_key(meant, section) == KeyClass::modelled)
      read_.refuse("{}: not a key of DeepSpeed; did you mean {}?", where, meant);
    config_.notes.push_back(fmt::format("{}: unknown, and ignored{}", where,
                                        meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }

  void report(const std::string& where, const Json& value, const UnmodelledKey& key) {
    if (key.kind == KeyClass::refused)
      read_.refuse("{}{}: {}", where, value.is_structured() ? "" : fmt::format(": {}", text_of(value)), key.words);
    config_.notes.push_back(fmt::format("{} is not modelled: {}", where, key.words));
  }

  const DsConfigReader& read_;
  DsConfig& config_;
};

}  // namespace

void check_ds_config_keys(const DsConfigReader& read, const Json& root, DsConfig& config) {
  if (root.contains("model_type")) read.refuse("is a model's configuration; give it with --model");
  KeyCheck(read, config).check(root, "");
  const auto entries = root.items();
  const auto is_known = [](const auto& entry) { return class_of_ds_config_key(entry.key(), "").has_value(); };
  if (!root.empty() && std::none_of(entries.begin(), entries.end(), is_known))
    read.refuse("has no setting of DeepSpeed; give the file that deepspeed.initialize takes");
}

}  // namespace ringmark::replay
