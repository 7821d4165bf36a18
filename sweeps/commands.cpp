#include "sweeps/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/input.hpp"
#include "base/shell_text.hpp"
#include "base/units.hpp"
#include "results/csv.hpp"
#include "results/provenance.hpp"
#include "sweeps/checked_sweep.hpp"
#include "sweeps/command.hpp"
#include "sweeps/estimate.hpp"
#include "sweeps/launch_options.hpp"
#include "sweeps/progress.hpp"
#include "sweeps/runner.hpp"
#include "sweeps/sweep_file.hpp"
#include "sweeps/sweep_run.hpp"
#include "sweeps/tune/surface.hpp"
#include "sweeps/tune/tuner.hpp"

namespace ringmark::sweep {

namespace fs = std::filesystem;

int begin(const std::string& path, const std::string& folder_path, const std::string& command,
          const Overrides& overrides) {
  const auto checked = read_and_check(path, overrides, command == "tune" ? Purpose::tune : Purpose::run);
  auto folder =
      Folder::create(folder_path, {make_run_id(), command, fs::absolute(path).string(), "", overrides}, checked.text);
  return run_sweep(checked, folder);
}

int resume(const std::string& folder_path) {
  auto folder = Folder::open(folder_path);
  const auto checked =
      check_sweep(folder.sweep_text(), folder.journal().head->sweep_path, folder.journal().head->overrides);
  return run_sweep(checked, folder);
}

int dry_run(const std::string& path, const std::string& folder, const Overrides& overrides) {
  const auto checked = read_and_check(path, overrides);
  const auto& sweep = checked.sweep;
  Estimate estimate;
  std::map<std::vector<std::string>, Extent> extents;  // cache: many settings differ only in the environment
  const auto launches = checked.plan.launches();
  for (const auto& launch : launches) {
    const auto resolved = resolve(sweep, checked.plan.setting(launch.point));
    const auto program = program_words(resolved);
    auto known = extents.find(program);
    if (known == extents.end()) known = extents.emplace(program, extent_of(resolved)).first;
    estimate.add(sweep, resolved, known->second);
    fmt::print("{}\n", shell_words(launch_command(sweep, resolved, program).words));
  }
  fmt::print("# {}\n# {} launches of {} settings; {}\n", sweep.question, launches.size(), checked.plan.size(),
             estimate.in_words(seconds_of_a_launch(folder)));
  return exit_ok;
}

int list(const std::string& folder) {
  auto where = folder;
  if (where.empty()) {
    const auto bin = fs::read_symlink("/proc/self/exe").parent_path();
    where = bin / "../share/ringmark/sweeps";
    if (!fs::exists(where)) where = bin / "../../sweeps";
    where = fs::weakly_canonical(where);
  }
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(where, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (files.empty()) throw BadUsage(fmt::format("{} has no sweeps (*.yaml)", where));
  std::sort(files.begin(), files.end());
  for (const auto& file : files)
    fmt::print("{}\n    {}\n", file.string(),
               read_sweep(whole_file(file, file, most_sweep_bytes), file).sweep.question);
  return exit_ok;
}

int tune_on_surface(const std::string& path, const SurfaceOptions& options) {
  auto checked = read_and_check(path, {}, Purpose::tune);
  auto& tuning = checked.sweep.tuning;
  tuning.search = options.search.value_or(tuning.search);
  tuning.budget_launches = options.budget_launches.value_or(tuning.budget_launches);
  const auto seed = options.seed.value_or(checked.sweep.seed);
  const Surface surface(content_of(options.csv), checked.sweep, checked.plan);
  const Space space(checked.sweep, checked.plan);
  std::mt19937_64 random(seed);
  const auto outcome = tune(
      tuning, space, seed, {}, [&](Phase, std::size_t point) { return surface.draw(point, random); },
      [] { return 0.0; });
  fmt::print("{}\n{}", checked.sweep.question, verdict(outcome, checked.sweep, checked.plan));
  const auto best = surface.best();
  if (outcome.winner && surface.mean(*outcome.winner)) {
    fmt::print(
        "{} of {} settings launched; the best of the surface is {}: {:.6g}, what was found is {:.2f} % above it\n",
        outcome.trials.size(), checked.plan.size(), describe(checked.sweep.variables, checked.plan.setting(best)),
        *surface.mean(best), 100 * (*surface.mean(*outcome.winner) / *surface.mean(best) - 1));
  }
  return exit_ok;
}

}  // namespace ringmark::sweep
