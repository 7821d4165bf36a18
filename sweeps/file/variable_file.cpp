#include "sweeps/file/variable_file.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/units.hpp"
#include "results/files/ready_settings.hpp"
#include "results/schema/columns.hpp"
#include "sweeps/file/yaml_values.hpp"

namespace ringmark::sweep {
namespace {

constexpr std::array own_flags{"csv",     "json", "failures",     "label",           "samples", "run-id",     "help",
                               "version", "list", "list-options", "list-parameters", "explain", "rendezvous", "rank"};

void read_range(YamlReader& read, Variable& variable, const YAML::Node& node) {
  const auto where = "variables." + variable.name;
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  std::optional<std::uint64_t> from, to, step, factor;
  bool sized = false;
  const auto read_size = [&](const YAML::Node& value, const std::string& key) -> std::uint64_t {
    const auto size = value.IsScalar() ? parse_size(value.Scalar()) : std::nullopt;
    if (!size || *size > most)
      read.key_problem(where + "." + key, value, "{} is not a whole number or a size like 64K",
                       YamlReader::shown(value));
    sized |= value.IsScalar() && value.Scalar().find_first_not_of("0123456789") != std::string::npos;
    return size.value_or(1);
  };
  for (const auto& [key, value, line] : read.map(where, node, {"from", "to", "step", "factor", "unset"})) {
    if (key == "from") from = read_size(value, key);
    if (key == "to") to = read_size(value, key);
    if (key == "step") step = read_size(value, key);
    if (key == "factor") factor = read_size(value, key);
    if (key == "unset" && read.choice<bool>(where + ".unset", value, {{"true", true}, {"false", false}})) {
      variable.values.emplace_back(std::nullopt);
      variable.value_lines.push_back(line);
    }
  }
  const bool usable = from && to && *from <= *to && step.has_value() != factor.has_value() && step != 0U &&
                      (!factor || (*factor >= 2 && *from > 0));
  constexpr std::uint64_t most_values = 100'000;
  if (!usable || (step && (*to - *from) / *step >= most_values)) {
    read.key_problem(where, variable.line,
                     "give a range with from, to (not below from) and either step or factor (2 or more, with from "
                     "above 0), and at most {} values",
                     most_values);
    return;
  }
  for (std::uint64_t value = *from;;) {
    variable.values.emplace_back(sized ? format_size(value) : std::to_string(value));
    variable.value_lines.push_back(variable.line);
    if (step ? *to - value < *step : *to / value < *factor) break;
    value = step ? value + *step : value * *factor;
  }
}

void check_launch_values(YamlReader& read, const Variable& variable) {
  if (variable.target != Target::ranks && variable.target != Target::ranks_per_node) return;
  for (std::size_t i = 0; i < variable.values.size(); ++i) {
    int count = 0;
    if (!variable.values[i] || !read_number(*variable.values[i], 1, 1'000'000, count))
      read.key_problem("variables." + variable.name, variable.value_lines[i], "{} is not a whole number of 1 or more",
                       to_text(variable.values[i]));
  }
}

void read_values(YamlReader& read, Variable& variable, const YAML::Node& node) {
  const auto where = "variables." + variable.name;
  if (node.IsMap()) {
    read_range(read, variable, node);
  } else if (node.IsSequence()) {
    for (const auto& each : node) {
      variable.values.push_back(joined_in(read, where, each));
      variable.value_lines.push_back(YamlReader::line_of(each));
    }
  } else {
    read.key_problem(where, node, "give a list of values, or {{from: 1, to: 16, factor: 2}}");
    return;
  }
  if (variable.values.empty() && node.IsSequence()) read.key_problem(where, variable.line, "has no values");
  std::set<Value> seen;
  for (std::size_t i = 0; i < variable.values.size(); ++i) {
    if (!seen.insert(variable.values[i]).second)
      read.key_problem(where, variable.value_lines[i], "{} is given twice", to_text(variable.values[i]));
  }
  variable.ordered = std::all_of(variable.values.begin(), variable.values.end(),
                                 [](const Value& value) { return !value || parse_figure(*value); });
  check_launch_values(read, variable);
}

}  // namespace

std::string to_text(const Value& value) { return value.value_or(std::string(unset)); }

Target target_of(const std::string& name) {
  if (name == "program") return Target::program;
  if (name == "ranks") return Target::ranks;
  if (name == "ranks_per_node") return Target::ranks_per_node;
  switch (setting_kind(name)) {
    case SettingKind::option:
      return Target::setting;
    case SettingKind::environment:
      return Target::environment;
    case SettingKind::flag:
      break;
  }
  return Target::flag;
}

void check_flag(YamlReader& read, const std::string& where, const std::string& name, int line) {
  const auto key = fmt::format("{}.{}", where, without_dashes(name));
  if (name.starts_with('-')) {
    read.key_problem(key, line, "write '{}' without dashes", name);
  } else if (std::find(own_flags.begin(), own_flags.end(), name) != own_flags.end()) {
    read.key_problem(key, line, "the sweep itself sets it; remove it");
  } else if (name == "repetition") {
    read.key_problem(key, line, "the sweep itself sets it; give 'repetitions' at the top level");
  } else if (name == "set") {
    read.key_problem(key, line, "give each option by its own name, as in 'tcp.sockets: 4'");
  }
}

std::string without_dashes(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

Variable read_variable(YamlReader& read, const std::string& name, const YAML::Node& node, int line) {
  Variable variable{without_dashes(name), target_of(name), {}, false, line, {}};
  if (variable.target == Target::flag) check_flag(read, "variables", name, line);
  read_values(read, variable, node);
  return variable;
}

}  // namespace ringmark::sweep
