#include "sweeps/file/argument_check.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/transport.hpp"
#include "sweeps/file/variable_file.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "transports/nccl/environment.hpp"

namespace ringmark::sweep {
namespace {

/// The problem's value as the file has it.
std::string value_in_file(const Problem& problem) {
  const auto equals = problem.flag == "--set" ? problem.value.find('=') : std::string::npos;
  return equals == std::string::npos ? problem.value : problem.value.substr(equals + 1);
}

/// The line of the file that gave the problem's flag and value.
int line_of(const Sweep& sweep, const Problem& problem) {
  const auto name = name_in_file(problem), value = value_in_file(problem);
  for (const auto& variable : sweep.variables) {
    if (variable.name != name) continue;
    const auto found = std::find(variable.values.begin(), variable.values.end(), Value(value));
    return found == variable.values.end()
               ? variable.line
               : variable.value_lines[static_cast<std::size_t>(found - variable.values.begin())];
  }
  for (const auto& key : {"arguments." + name, name}) {
    if (const auto found = sweep.lines.find(key); found != sweep.lines.end()) return found->second;
  }
  const auto found = sweep.lines.find(sweep.environment.contains(name) ? "environment" : "program");
  return found == sweep.lines.end() ? 1 : found->second;
}

class ArgumentCheck {
 public:
  ArgumentCheck(const Sweep& sweep, const Plan& plan, const std::string& file)
      : sweep_(sweep), plan_(plan), file_(file) {
    for (const auto& variable : sweep.variables) shown_.emplace_back(variable.values.size());
  }

  std::vector<Problem> problems() {
    for (std::size_t point = 0; point < plan_.size(); ++point) {
      if (!is_news(point)) continue;
      const auto setting = plan_.setting(point);
      const auto resolved = resolve(sweep_, setting);
      combination_ = describe(sweep_.variables, setting);
      check_hosts(resolved);
      check_environment(resolved);
      check_words(resolved);
    }
    return std::move(problems_);
  }

 private:
  /// True for the first points, and then only for a point with a value that no earlier point had.
  bool is_news(std::size_t point) {
    constexpr std::size_t most_command_lines = 5000;
    bool is = checked_.size() < most_command_lines;
    const auto indices = plan_.indices(point);
    for (std::size_t v = 0; v < indices.size(); ++v) {
      is |= !shown_[v][indices[v]];
      shown_[v][indices[v]] = true;
    }
    return is;
  }

  void check_hosts(const Resolved& resolved) {
    if (sweep_.launcher.kind == LauncherKind::local) {
      if (!says_ranks_per_node(sweep_) || nodes_of(resolved) == 1) return;
      tell({.flag = sweep_.hosts.empty() ? "ranks_per_node" : "hosts",
            .text = fmt::format(
                "{} ranks, {} on each node, need {} nodes, but launcher local starts all ranks on this machine",
                resolved.ranks, resolved.ranks_per_node, nodes_of(resolved)),
            .remedy = "give another launcher"});
      return;
    }
    if (sweep_.hosts.empty() || nodes_of(resolved) <= std::ssize(sweep_.hosts)) return;
    tell({.flag = "hosts",
          .text = fmt::format("{} ranks, {} on each node, need {} hosts, but {} are given", resolved.ranks,
                              resolved.ranks_per_node, nodes_of(resolved), sweep_.hosts.size()),
          .remedy = "give more hosts, or ranks_per_node"});
  }

  /// Checks the environment variables in combination; read_sweep has checked each one.
  void check_environment(const Resolved& resolved) {
    std::map<std::string, std::string> environment;
    for (const auto& [name, value] : resolved.environment) {
      if (value) environment.emplace(name, *value);
    }
    for (const auto& problem : contradictions(environment)) tell(problem);
  }

  void check_words(const Resolved& resolved) {
    auto words = program_words(resolved);
    for (const auto& [name, value] : resolved.environment) {
      if (value) words.push_back(name);
    }
    if (!checked_.insert(words).second) return;
    const auto found = problems_of(resolved);
    for (const auto& problem : found) tell(problem);
    if (found.empty()) check_effect(resolved);
  }

  /// Reports environment variables that only another transport reads.
  void check_effect(const Resolved& resolved) {
    const auto transport = planned_row(resolved).transport.value();
    for (const auto& variable : sweep_.variables) {
      const auto reader = only_reader_of(variable.name);
      const auto given = resolved.environment.find(variable.name);
      if (!reader || *reader == transport || given == resolved.environment.end() || !given->second) continue;
      tell({.flag = variable.name,
            .text = fmt::format("has no effect with --transport {}", name(transport)),
            .remedy = fmt::format("give transport: {}", name(*reader))});
    }
  }

  /// Records each problem only once, with the first combination that causes it.
  void tell(Problem problem) {
    problem.place = Place{file_, line_of(sweep_, problem)};
    const bool is_known = std::any_of(told_.begin(), told_.end(), [&](const Problem& each) { return each == problem; });
    if (is_known) return;
    told_.push_back(problem);
    if (plan_.size() > 1)
      problem.remedy += fmt::format("{}exclude the combination ({})",
                                    problem.remedy.empty() ? "change it, or " : ", or ", combination_);
    problems_.push_back(std::move(problem));
  }

  const Sweep& sweep_;
  const Plan& plan_;
  const std::string& file_;
  std::vector<std::vector<bool>> shown_;  ///< by variable and value: true if a point had it
  std::set<std::vector<std::string>> checked_;
  std::vector<Problem> told_, problems_;
  std::string combination_;
};

}  // namespace

std::string name_in_file(const Problem& problem) {
  if (problem.flag == "--set") return problem.value.substr(0, problem.value.find('='));
  return without_dashes(problem.flag);
}

std::vector<Problem> check_arguments(const Sweep& sweep, const Plan& plan, const std::string& file) {
  return ArgumentCheck(sweep, plan, file).problems();
}

}  // namespace ringmark::sweep
