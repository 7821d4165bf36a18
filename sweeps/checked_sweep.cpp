#include "sweeps/checked_sweep.hpp"

#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "base/units.hpp"
#include "sweeps/argument_check.hpp"
#include "sweeps/command.hpp"
#include "sweeps/launch_options.hpp"
#include "sweeps/sweep_file.hpp"

namespace ringmark::sweep {

CheckedSweep check_sweep(const std::string& text, const std::string& name) {
  auto file = read_sweep(text, name);
  if (!file.problems.empty()) throw BadUsage(file.problems);
  try {
    Plan plan(file.sweep);
    if (const auto problems = check_arguments(file.sweep, plan, name); !problems.empty()) throw BadUsage(problems);
    return {std::move(file.sweep), std::move(plan), text};
  } catch (const std::invalid_argument& error) {
    throw BadUsage(Problem{.text = error.what(), .place = Place{name, file.sweep.lines["variables"]}});
  }
}

CheckedSweep read_and_check(const std::string& path) { return check_sweep(content_of(path), path); }

void check_tuning(const CheckedSweep& checked, const std::string& path) {
  const auto& [sweep, plan, text] = checked;
  if (plan.size() < 2) throw BadUsage(fmt::format("{}: there is one setting only, so nothing to tune", path));
  const auto sizes = extent_of(resolve(sweep, plan.setting(plan.default_point()))).sizes;
  const auto& objective = sweep.tuning.objective;
  if (objective.weights.empty() && objective.column == Objective().column && sizes.size() > 1) {
    throw BadUsage(fmt::format("{}: tune.objective is missing: {} sizes are measured; name one of them, or weigh them",
                               path, sizes.size()));
  }
  for (const auto& [size, weight] : objective.weights) {
    if (size < sizes.front() || size > sizes.back())
      throw BadUsage(Problem{.flag = "tune.objective",
                             .text = fmt::format("{} lies outside of the measured sizes, {} to {}", format_size(size),
                                                 format_size(sizes.front()), format_size(sizes.back())),
                             .place = Place{path, sweep.tuning.line}});
  }
}

std::string content_of(const std::string& path) {
  try {
    return read_file(path);
  } catch (const std::system_error& error) {
    throw BadUsage(fmt::format("{} cannot be read: {}", path, error.code().message()));
  }
}

}  // namespace ringmark::sweep
