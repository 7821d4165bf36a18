#include "sweeps/file/checked_sweep.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/units.hpp"
#include "sweeps/file/argument_check.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/file/variable_file.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"

namespace ringmark::sweep {
namespace {

int line_of(const Sweep& sweep, const std::string& key) {
  const auto found = sweep.lines.find(key);
  return found == sweep.lines.end() ? 1 : found->second;
}

/// The sweep without the variables, zips and exclusions that have problems, so that the rest can be checked.
Sweep without_problems(Sweep sweep, const std::vector<Problem>& problems) {
  std::set<int> lines;
  for (const auto& problem : problems) lines.insert(problem.place->line);
  std::erase_if(sweep.variables, [&](const Variable& each) {
    return each.values.empty() || lines.contains(each.line) ||
           std::any_of(each.value_lines.begin(), each.value_lines.end(),
                       [&](int line) { return lines.contains(line); });
  });
  const auto is_unknown = [&](const std::string& name) {
    return std::none_of(sweep.variables.begin(), sweep.variables.end(),
                        [&](const Variable& each) { return each.name == name; });
  };
  if (lines.contains(line_of(sweep, "zip"))) sweep.zips.clear();
  for (auto& zip : sweep.zips) std::erase_if(zip, is_unknown);
  std::erase_if(sweep.exclusions, [&](const Exclusion& exclusion) {
    return exclusion.empty() ||
           std::any_of(exclusion.begin(), exclusion.end(), [&](const auto& each) { return is_unknown(each.first); });
  });
  return sweep;
}

/// The reasons why the sweep can be run but not tuned.
std::vector<Problem> tuning_problems(const Sweep& sweep, const Plan& plan, const std::string& path) {
  std::vector<Problem> problems;
  if (plan.size() < 2)
    problems.push_back({.text = "there is only one setting, so there is nothing to tune",
                        .place = Place{path, line_of(sweep, "variables")}});
  const auto sizes = extent_of(resolve(sweep, plan.setting(plan.default_point()))).sizes;
  const auto& objective = sweep.tuning.objective;
  if (objective.weights.empty() && objective.column == Objective().column && sizes.size() > 1)
    problems.push_back(
        {.text = fmt::format("tune.objective is missing: {} sizes are measured; name one of them, or give them weights",
                             sizes.size()),
         .place = Place{path, line_of(sweep, "tune")}});
  for (const auto& [size, weight] : objective.weights) {
    if (size < sizes.front() || size > sizes.back())
      problems.push_back({.flag = "tune.objective",
                          .text = fmt::format("{} is outside the measured sizes, {} to {}", format_size(size),
                                              format_size(sizes.front()), format_size(sizes.back())),
                          .place = Place{path, sweep.tuning.line}});
  }
  return problems;
}

/// The problems that the programs find in the flags, and those of tuning.
std::vector<Problem> problems_of_flags(const Sweep& sweep, const std::string& name, Purpose purpose) {
  try {
    const Plan plan(sweep);
    auto problems = check_arguments(sweep, plan, name);
    return problems.empty() && purpose == Purpose::tune ? tuning_problems(sweep, plan, name) : problems;
  } catch (const std::invalid_argument& error) {
    return {{.text = error.what(), .place = Place{name, line_of(sweep, "variables")}}};
  }
}

/// True if the problem of a flag only follows from another problem of the file: it concerns the same flag, or a flag
/// that the file does not give.
bool is_consequence(const Problem& problem, const std::vector<Problem>& of_file, int program_line) {
  const auto name = name_in_file(problem);
  const auto is_same = [&](const Problem& each) {
    return each.place == problem.place && (each.flag == name || each.flag.ends_with("." + name));
  };
  return problem.place->line == 1 || problem.place->line == program_line ||
         std::any_of(of_file.begin(), of_file.end(), is_same);
}

HostsOrigin origin_of_hosts(const Overrides& overrides, const Sweep& of_file, const std::string& name) {
  using Kind = HostsOrigin::Kind;
  if (!overrides.hosts.empty()) return {Kind::command_line, "command line", "--hosts"};
  if (uses_allocation(overrides, of_file))
    return {Kind::allocation, std::string(ringmark::sweep::name(overrides.allocation->source)),
            overrides.allocation->from};
  if (!of_file.hosts.empty()) return {Kind::sweep_file, "sweep file", name};
  return {Kind::launcher, "launcher", ""};
}

}  // namespace

CheckedSweep check_sweep(const std::string& text, const std::string& name, const Overrides& overrides,
                         Purpose purpose) {
  auto file = read_sweep(text, name);
  auto& sweep = file.sweep;
  auto& problems = file.problems;
  auto of_file = sweep;
  if (auto wrong = apply(overrides, sweep); !wrong.empty()) throw BadUsage(std::move(wrong));
  of_file.launcher = sweep.launcher;
  if (!sweep.programs.empty()) {
    auto more = problems_of_flags(problems.empty() ? sweep : without_problems(sweep, problems), name, purpose);
    if (!problems.empty())
      std::erase_if(more, [&](const auto& each) { return is_consequence(each, problems, line_of(sweep, "program")); });
    problems.insert(problems.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    sort_by_place(problems);
  }
  if (!problems.empty()) throw BadUsage(std::move(problems));
  Plan plan(sweep);
  return {std::move(sweep), std::move(plan), text, origin_of_hosts(overrides, of_file, name)};
}

CheckedSweep read_and_check(const std::string& path, const Overrides& overrides, Purpose purpose) {
  return check_sweep(whole_file(path, path, most_sweep_bytes), path, overrides, purpose);
}

std::string content_of(const std::string& path) {
  constexpr std::uint64_t most_bytes = std::uint64_t{16} << 30U;
  return whole_file(path, path, most_bytes);
}

}  // namespace ringmark::sweep
