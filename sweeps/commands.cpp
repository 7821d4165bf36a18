#include "sweeps/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/input/input.hpp"
#include "base/text/printable.hpp"
#include "base/text/shell_text.hpp"
#include "base/units.hpp"
#include "base/write_file.hpp"
#include "results/files/csv.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"
#include "sweeps/file/checked_sweep.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/nodes/node_agent.hpp"
#include "sweeps/nodes/node_start.hpp"
#include "sweeps/run/estimate.hpp"
#include "sweeps/run/move.hpp"
#include "sweeps/run/progress.hpp"
#include "sweeps/run/runner.hpp"
#include "sweeps/run/sweep_run.hpp"
#include "sweeps/tune/surface.hpp"
#include "sweeps/tune/tuner.hpp"

namespace ringmark::sweep {

namespace fs = std::filesystem;

namespace {

/// Meets the nodes that another system has started, runs `body`, and ends the nodes with its status.
int lead(const std::optional<Rendezvous>& place, std::chrono::milliseconds time_for_nodes,
         const std::function<int(Nodes& nodes)>& body) {
  const auto nodes = meet_nodes(place, time_for_nodes);
  int status = exit_failed;
  try {
    status = body(*nodes);
  } catch (const Interrupted& error) {
    nodes->finish(error.exit_status());
    throw;
  } catch (const BadUsage&) {
    nodes->finish(exit_usage);
    throw;
  } catch (const std::exception&) {
    nodes->finish(exit_failed);
    throw;
  }
  nodes->finish(status);
  return status;
}

void place_on(const Nodes& nodes, CheckedSweep& checked) {
  check_nodes(checked, static_cast<int>(nodes.hosts().size()), nodes.source());
  checked.sweep.hosts = nodes.hosts();
  checked.hosts_origin = {HostsOrigin::Kind::nodes, "nodes", nodes.source()};
}

}  // namespace

int begin(const std::string& path, const std::string& folder_path, const std::string& command, Overrides overrides,
          std::chrono::milliseconds time_for_nodes) {
  const auto place = place_among_nodes(launcher_of(path, overrides), overrides);
  auto checked = read_and_check(path, overrides, command == "tune" ? Purpose::tune : Purpose::run);
  const bool is_on_nodes = needs_nodes(checked.sweep.launcher.kind);
  // Every node finds problems by itself, before the nodes meet.
  if (is_on_nodes) check_nodes(checked, overrides.nodes.value_or(1), place ? place->source : "");
  if (place && place->rank != 0) return serve_node(*place, time_for_nodes);
  if (checked.hosts_origin.kind == HostsOrigin::Kind::allocation) {
    tell(fmt::format("ringmark-sweep: {}\n", in_words(*overrides.allocation)));
  } else {
    overrides.allocation.reset();
  }
  const auto create = [&] {
    return Folder::create(
        folder_path, {make_run_id(), command, fs::absolute(path).string(), "", overrides, machines_of(checked.sweep)},
        checked.text);
  };
  if (!is_on_nodes) {
    auto folder = create();
    return run_sweep(checked, folder);
  }
  return lead(place, time_for_nodes, [&](Nodes& nodes) {
    place_on(nodes, checked);
    auto folder = create();
    return run_sweep(checked, folder, &nodes);
  });
}

int resume(const std::string& folder_path, const Overrides& here, bool takes_other_hosts,
           std::chrono::milliseconds time_for_nodes) {
  auto mine = here;
  const auto place = place_among_nodes(launcher_in(folder_path).value_or(LauncherKind::none), mine);
  // Nodes other than the first need not see the folder.
  if (place && place->rank != 0) return serve_node(*place, time_for_nodes);
  const auto run_where_begun = [&](CheckedSweep& checked, Folder& folder, Nodes* nodes) {
    if (nodes != nullptr) place_on(*nodes, checked);
    if (!takes_other_hosts && !names_hosts(here) && !is_complete(checked, folder))
      refuse_other_machines(folder_path, folder.journal().head->machines, machines_of(checked.sweep));
    return run_sweep(checked, folder, nodes);
  };
  const auto go_on = [&](Nodes* nodes) {
    auto folder = Folder::open(folder_path);
    const auto& begun = *folder.journal().head;
    auto checked = check_sweep(folder.sweep_text(), begun.sweep_path, begun.overrides);
    refuse_unused_hosts(here, checked);
    if (!needs_nodes(checked.sweep.launcher.kind)) {
      move_to_hosts_of(here, begun, checked);
      return run_where_begun(checked, folder, nullptr);
    }
    if (nodes != nullptr) return run_where_begun(checked, folder, nodes);
    return lead(place, time_for_nodes, [&](Nodes& alone) { return run_where_begun(checked, folder, &alone); });
  };
  if (place) return lead(place, time_for_nodes, [&](Nodes& nodes) { return go_on(&nodes); });
  return go_on(nullptr);
}

int dry_run(const std::string& path, const std::string& folder, Overrides overrides) {
  static_cast<void>(place_among_nodes(launcher_of(path, overrides), overrides));
  const auto checked = read_and_check(path, overrides);
  if (needs_nodes(checked.sweep.launcher.kind)) {
    const auto need = need_of(checked);
    fmt::print("# needs {} {} with {} ranks on each; start ringmark-sweep on every node\n", need.hosts,
               need.hosts == 1 ? "node" : "nodes", need.ranks_per_node);
    fmt::print("# command lines of the first node; the other nodes start theirs at its request\n");
  }
  if (checked.hosts_origin.kind == HostsOrigin::Kind::allocation)
    fmt::print("{}", as_comment(in_words(*overrides.allocation)));
  const auto& sweep = checked.sweep;
  if (sweep.launcher.kind == LauncherKind::slurm)
    fmt::print("# --mpi=none is a placeholder: the sweep detects the PMI interface when it runs\n");
  Estimate estimate;
  std::map<std::vector<std::string>, Extent> extents;  // cache: many settings differ only in the environment
  const auto launches = checked.plan.launches();
  for (const auto& launch : launches) {
    const auto resolved = resolve(sweep, checked.plan.setting(launch.point));
    const auto program = program_words(resolved);
    auto known = extents.find(program);
    if (known == extents.end()) known = extents.emplace(program, extent_of(resolved)).first;
    estimate.add(sweep, resolved, known->second);
    say("{}\n", shell_words(launch_command(sweep, resolved, program).words));
  }
  fmt::print("{}# {} launches of {} settings; {}\n", as_comment(sweep.question), launches.size(), checked.plan.size(),
             estimate.in_words(seconds_of_a_launch(folder)));
  return exit_ok;
}

int list(const std::string& folder, const std::string& json_file) {
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
  std::vector<JsonRow> rows;
  for (const auto& file : files) {
    const auto sweep = read_sweep(whole_file(file, file, most_sweep_bytes), file).sweep;
    say("{}\n    {}\n", file.string(), sweep.question);
    std::vector<std::string_view> programs;
    for (const auto program : sweep.programs) programs.push_back(name(program));
    std::vector<std::string> variables;
    for (const auto& variable : sweep.variables) variables.push_back(variable.name);
    rows.push_back({{"schema", "sweep/1"},
                    {"file", file.string()},
                    {"question", sweep.question},
                    {"programs", programs},
                    {"ranks", sweep.ranks},
                    {"variables", variables},
                    {"repetitions", sweep.repetitions}});
  }
  if (!json_file.empty()) write_file(json_file, json_rows(rows));
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
  say("{}\n{}", checked.sweep.question, verdict(outcome, checked.sweep, checked.plan));
  const auto best = surface.best();
  if (outcome.winner && surface.mean(*outcome.winner)) {
    say("{} of {} settings launched; the best setting of the surface is {}: {:.6g}; the setting found is {:.2f} % "
        "above it\n",
        outcome.trials.size(), checked.plan.size(), describe(checked.sweep.variables, checked.plan.setting(best)),
        *surface.mean(best), 100 * (*surface.mean(*outcome.winner) / *surface.mean(best) - 1));
  }
  return exit_ok;
}

}  // namespace ringmark::sweep
