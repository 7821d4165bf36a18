#include "sweeps/file/combination_file.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sweeps/file/yaml_values.hpp"

namespace ringmark::sweep {

void CombinationReader::read_zips(const YAML::Node& node) {
  if (!node.IsSequence()) {
    read_.key_problem("zip", node, "give a list of lists of variables: [[A, B], [C, D]]");
    return;
  }
  for (const auto& each : node) sweep_.zips.push_back(read_.texts("zip", each));
}

void CombinationReader::read_exclusions(const YAML::Node& node) {
  if (!node.IsSequence()) {
    read_.key_problem("exclude", node, "give a list of maps, each variable: value or [values]");
    return;
  }
  for (const auto& each : node) {
    Exclusion exclusion;
    for (const auto& [name, value, line] : read_.map("exclude", each)) {
      auto& values = exclusion[name];
      if (value.IsSequence()) {
        for (const auto& one : value) values.push_back(value_in(read_, "exclude." + name, one));
      } else {
        values.push_back(value_in(read_, "exclude." + name, value));
      }
      exclusion_lines_.push_back({sweep_.exclusions.size(), name, line});
    }
    if (exclusion.empty()) read_.key_problem("exclude", each, "an empty entry excludes everything");
    sweep_.exclusions.push_back(std::move(exclusion));
  }
}

const Variable* CombinationReader::find(const std::string& name) const {
  for (const auto& variable : sweep_.variables) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

void CombinationReader::check() {
  std::set<std::string> zipped;
  for (const auto& zip : sweep_.zips) {
    std::size_t length = 0;
    for (const auto& name : zip) {
      const auto* variable = find(name);
      if (variable == nullptr) {
        read_.key_problem("zip", sweep_.lines["zip"], "there is no variable '{}'", name);
      } else if (!zipped.insert(name).second) {
        read_.key_problem("zip", sweep_.lines["zip"], "'{}' is zipped twice", name);
      } else if (std::exchange(length, variable->values.size()) != variable->values.size() && length != 0 &&
                 name != zip.front()) {
        read_.key_problem("zip", variable->line, "'{}' has {} values, unlike the variables zipped with it", name,
                          variable->values.size());
      }
    }
  }
  for (const auto& [index, name, line] : exclusion_lines_) {
    const auto* variable = find(name);
    if (variable == nullptr) {
      read_.key_problem("exclude", line, "there is no variable '{}'", name);
      continue;
    }
    for (const auto& value : sweep_.exclusions[index].at(name)) {
      if (std::find(variable->values.begin(), variable->values.end(), value) == variable->values.end())
        read_.key_problem("exclude", line, "{} has no value {}, so this excludes nothing", name, to_text(value));
    }
  }
}

}  // namespace ringmark::sweep
