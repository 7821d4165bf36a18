#include "sweeps/file/variable_override.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "sweeps/file/variable_file.hpp"
#include "transports/nccl/parameters.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto variable_flag = "--variable";

/// Reads values from the command line instead of a file.
std::optional<Variable> read_values(const std::string& name, const std::string& values,
                                    std::vector<Problem>& problems) {
  const auto given = fmt::format("{}={}", name, values);
  const bool is_yaml = values.starts_with('[') || values.starts_with('{');
  try {
    YamlReader read(variable_flag);
    auto variable =
        read_variable(read, name, read_yaml(variable_flag, is_yaml ? values : fmt::format("[{}]", values)), 1);
    for (const auto& problem : read.problems())
      problems.push_back({.flag = variable_flag, .value = given, .text = problem.text});
    for (const auto& value : variable.values) {
      const auto wrong = value ? problem_of_parameter(name, *value) : std::nullopt;
      if (wrong) problems.push_back({.flag = variable_flag, .value = given, .text = to_text(*wrong)});
    }
    return variable;
  } catch (const BadUsage& error) {
    problems.push_back({.flag = variable_flag, .value = given, .text = error.problems().front().text});
  } catch (const YAML::Exception& error) {
    problems.push_back({.flag = variable_flag,
                        .value = given,
                        .text = fmt::format("cannot be read: {}", error.msg),
                        .remedy = "give NAME=VALUE,VALUE, or a list or range as in a file"});
  }
  return std::nullopt;
}

std::string known_names(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const auto& variable : variables) names.push_back(variable.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<Problem> override_variable(const std::string& name, const std::string& values, Sweep& sweep) {
  const auto given = fmt::format("{}={}", name, values);
  const auto found = std::find_if(sweep.variables.begin(), sweep.variables.end(),
                                  [&](const Variable& variable) { return variable.name == name; });
  if (found == sweep.variables.end())
    return {{.flag = variable_flag,
             .value = given,
             .text = fmt::format("the sweep has no variable '{}'", name),
             .remedy = fmt::format("its variables: {}", known_names(sweep.variables))}};
  std::vector<Problem> problems;
  auto variable = read_values(name, values, problems);
  if (!problems.empty()) return problems;
  for (const auto& zip : sweep.zips) {
    const bool is_zipped = zip.size() > 1 && std::find(zip.begin(), zip.end(), name) != zip.end();
    if (is_zipped && variable->values.size() != found->values.size())
      problems.push_back(
          {.flag = variable_flag,
           .value = given,
           .text = fmt::format("the file zips it with other variables, of {} values each", found->values.size())});
  }
  if (found->target == Target::program) {
    std::vector<Program> programs;
    for (const auto& value : variable->values) {
      if (std::find(found->values.begin(), found->values.end(), value) == found->values.end())
        problems.push_back({.flag = variable_flag,
                            .value = given,
                            .text = fmt::format("the sweep does not measure {}", to_text(value))});
      else
        programs.push_back(parse_program(*value).value());
    }
    if (problems.empty()) sweep.programs = programs;
  }
  if (!problems.empty()) return problems;
  // Problems that the programs report refer to the file's line.
  variable->line = found->line;
  std::fill(variable->value_lines.begin(), variable->value_lines.end(), found->line);
  *found = std::move(*variable);
  return {};
}

}  // namespace ringmark::sweep
