#include "sweeps/nodes/node_start.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/system/files.hpp"
#include "sweeps/file/launcher_file.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/run/journal.hpp"
#include "sweeps/run/move.hpp"

namespace ringmark::sweep {
namespace {

std::optional<LauncherKind> launcher_of_flag(const Overrides& overrides) {
  for (const auto& [name, kind] : launcher_kinds()) {
    if (name == overrides.launcher) return kind;
  }
  return std::nullopt;
}

}  // namespace

LauncherKind launcher_of(const std::string& path, const Overrides& overrides) {
  if (const auto kind = launcher_of_flag(overrides)) return *kind;
  return read_sweep(whole_file(path, path, most_sweep_bytes), path).sweep.launcher.kind;
}

std::optional<LauncherKind> launcher_in(const std::string& folder) {
  const auto journal = folder + "/journal";
  try {
    const auto head = parse_journal(read_if_readable(journal), journal).head;
    if (!head) return std::nullopt;
    if (const auto kind = launcher_of_flag(head->overrides)) return kind;
    return read_sweep(read_if_readable(folder + "/sweep.yaml"), head->sweep_path).sweep.launcher.kind;
  } catch (const JournalDamaged&) {
    return std::nullopt;
  } catch (const BadUsage&) {
    return std::nullopt;
  }
}

std::optional<Rendezvous> place_among_nodes(LauncherKind launcher, Overrides& overrides) {
  if (!needs_nodes(launcher)) return std::nullopt;
  auto place = rendezvous_from_environment(overrides.nodes, "--nodes");
  if (!place || place->ranks == 1) return std::nullopt;
  overrides.nodes = place->ranks;
  return place;
}

void check_nodes(const CheckedSweep& checked, int nodes, const std::string& source) {
  const auto need = need_of(checked);
  if (need.hosts <= nodes) return;
  throw BadUsage(
      Problem{.flag = "--ranks-per-node",
              .value = std::to_string(need.ranks_per_node),
              .text = fmt::format("the sweep needs {} nodes with that many ranks on each, but there {} ({})",
                                  need.hosts, nodes == 1 ? "is one" : fmt::format("are {}", nodes),
                                  source.empty() ? "no variables such as RANK and WORLD_SIZE announce others" : source),
              .remedy = "start ringmark-sweep on more nodes, or give fewer --ranks or more --ranks-per-node"});
}

std::unique_ptr<Nodes> meet_nodes(const std::optional<Rendezvous>& place, std::chrono::milliseconds timeout) {
  if (!place) return std::make_unique<Nodes>();
  return std::make_unique<Nodes>(*place, timeout);
}

}  // namespace ringmark::sweep
