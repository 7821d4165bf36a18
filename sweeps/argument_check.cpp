#include "sweeps/argument_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "sweeps/command.hpp"
#include "sweeps/program.hpp"
#include "transports/nccl/environment.hpp"

namespace ringmark::sweep {
namespace {

/// The line of the file that gave what a problem names.
int line_of(const Sweep& sweep, const std::string& problem) {
  for (const auto& variable : sweep.variables) {
    if (problem.find(variable.name) == std::string::npos) continue;
    for (std::size_t i = 0; i < variable.values.size(); ++i) {
      const auto& value = variable.values[i];
      if (!value || value->empty()) continue;
      for (const char separator : {' ', '='}) {
        const auto mention = variable.name + separator + *value;
        const auto at = problem.find(mention);
        const auto end = at + mention.size();
        if (at != std::string::npos && (end == problem.size() || problem[end] == ':' || problem[end] == ' '))
          return variable.value_lines[i];
      }
    }
    return variable.line;
  }
  for (const auto& [name, line] : sweep.lines) {
    constexpr std::string_view prefix = "arguments.";
    if (name.starts_with(prefix) && problem.find(name.substr(prefix.size())) != std::string::npos) return line;
  }
  const auto found = sweep.lines.find("program");
  return found == sweep.lines.end() ? 1 : found->second;
}

}  // namespace

std::vector<std::string> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file) {
  constexpr std::size_t most_command_lines = 5000;
  std::set<std::vector<std::string>> checked;
  std::set<std::string> told;
  std::vector<std::string> problems;
  // All at first; beyond that those with a value that no other point has shown.
  std::vector<std::vector<bool>> shown;
  for (const auto& variable : sweep.variables) shown.emplace_back(variable.values.size());
  for (std::size_t point = 0; point < plan.size(); ++point) {
    bool is_news = checked.size() < most_command_lines;
    const auto indices = plan.indices(point);
    for (std::size_t v = 0; v < indices.size(); ++v) {
      is_news |= !shown[v][indices[v]];
      shown[v][indices[v]] = true;
    }
    if (!is_news) continue;
    const auto resolved = resolve(sweep, plan.setting(point));
    if (!sweep.hosts.empty() && nodes_of(resolved) > std::ssize(sweep.hosts)) {
      const auto text = fmt::format("{} ranks, {} on each node, need {} hosts, and there are {}", resolved.ranks,
                                    resolved.ranks_per_node, nodes_of(resolved), sweep.hosts.size());
      if (told.insert(text).second)
        problems.push_back(
            fmt::format("{}:{}: hosts: {}; give more hosts, or ranks_per_node", file, sweep.lines.at("hosts"), text));
    }
    // What variables do to each other; each alone was judged where it stands.
    std::map<std::string, std::string> environment;
    for (const auto& [name, value] : resolved.environment) {
      if (value) environment.emplace(name, *value);
    }
    for (const auto& text : contradictions(environment)) {
      if (!told.insert(text).second) continue;
      problems.push_back(fmt::format("{}:{}: {}; change it, or exclude the combination ({})", file,
                                     line_of(sweep, text), text, describe(sweep.variables, plan.setting(point))));
    }
    for (const auto& variable : sweep.variables) {
      if (!variable.name.starts_with("NCCL_") || !environment.contains(variable.name)) continue;
      const auto given = resolved.flags.find("transport");
      const auto transport = given == resolved.flags.end() ? "tcp" : given->second.value_or("tcp");
      const auto text = fmt::format("{}: has no effect with --transport {}", variable.name, transport);
      if (transport != "nccl" && told.insert(text).second)
        problems.push_back(fmt::format("{}:{}: {}; give transport: nccl, or exclude the combination ({})", file,
                                       variable.line, text, describe(sweep.variables, plan.setting(point))));
    }
    auto words = program_arguments(resolved);
    words.insert(words.begin(), resolved.program);
    if (!checked.insert(words).second) continue;
    std::istringstream lines(problems_of(resolved));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.starts_with("Run with --help") || !told.insert(line).second) continue;
      problems.push_back(fmt::format("{}:{}: {}; change it, or exclude the combination ({})", file,
                                     line_of(sweep, line), line, describe(sweep.variables, plan.setting(point))));
    }
  }
  return problems;
}

}  // namespace ringmark::sweep
