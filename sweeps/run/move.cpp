#include "sweeps/run/move.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"

namespace ringmark::sweep {
namespace {

bool is_of_batch_system(const std::optional<Allocation>& allocation) {
  return allocation && allocation->source != AllocationSource::host_file;
}

/// Settings for which this is equal use the same number of GPUs. A sweep may have millions of settings, and parsing the
/// flags of each would take minutes.
auto basis_of_gpus(const Resolved& resolved) {
  const auto transport = resolved.flags.find("transport");
  return std::tuple(transport == resolved.flags.end() ? Value() : transport->second, resolved.settings,
                    ranks_on_a_node(resolved));
}

/// The hosts and ranks that the sweep used where it was begun: a launcher without instructions put all ranks on its own
/// host.
Need need_where_begun(const CheckedSweep& checked, const JournalHead& begun) {
  auto need = need_of(checked);
  const auto& launcher = checked.sweep.launcher;
  const auto hosts = static_cast<int>(begun.machines.hosts.size());
  const bool is_told =
      says_ranks_per_node(checked.sweep) || !launcher.arguments.empty() || launcher.kind == LauncherKind::custom;
  if (is_told || hosts == 0 || hosts >= need.hosts) return need;
  int ranks = 0;
  for (std::size_t point = 0; point < checked.plan.size(); ++point)
    ranks = std::max(ranks, resolve(checked.sweep, checked.plan.setting(point)).ranks);
  need.hosts = hosts;
  need.ranks_per_node = (ranks + hosts - 1) / hosts;
  return need;
}

}  // namespace

Need need_of(const CheckedSweep& checked) {
  Need need;
  std::set<decltype(basis_of_gpus(std::declval<Resolved>()))> known;
  for (std::size_t point = 0; point < checked.plan.size(); ++point) {
    auto resolved = resolve(checked.sweep, checked.plan.setting(point));
    if (checked.sweep.launcher.kind == LauncherKind::local) resolved.ranks_per_node = resolved.ranks;
    need.hosts = std::max(need.hosts, nodes_of(resolved));
    need.ranks_per_node = std::max(need.ranks_per_node, ranks_on_a_node(resolved));
    if (known.insert(basis_of_gpus(resolved)).second)
      need.gpus_per_node = std::max(need.gpus_per_node, gpus_per_node_of(resolved));
  }
  return need;
}

bool names_hosts(const Overrides& here) {
  return !here.hosts.empty() || (here.allocation && !is_of_batch_system(here.allocation));
}

void refuse_unused_hosts(const Overrides& here, const CheckedSweep& checked) {
  auto problem = problem_of_hosts(here, checked.sweep);
  if (!problem) return;
  problem->remedy =
      "resume the sweep without this flag, or begin another one with a launcher that starts ranks on hosts";
  throw BadUsage(*std::move(problem));
}

void move_to_hosts_of(const Overrides& here, const JournalHead& begun, CheckedSweep& checked) {
  const bool is_told = names_hosts(here);
  refuse_unused_hosts(here, checked);
  const auto& allocation = begun.overrides.allocation;
  const bool was_allocated = is_of_batch_system(allocation);
  if (!is_told && !was_allocated) return;
  if (!is_told && !here.allocation)
    throw BadUsage(
        fmt::format("the sweep was begun on {}, but this is not an allocation: resume it inside one, or name hosts "
                    "with --hosts or --hostfile",
                    in_words(*allocation)));
  const auto names = here.hosts.empty() ? names_of(*here.allocation) : here.hosts;
  const auto slots = here.hosts.empty() ? ranks_per_node_of(*here.allocation) : std::nullopt;
  const auto need = need_where_begun(checked, begun);
  const auto what = here.hosts.empty() ? in_words(*here.allocation) : fmt::format("--hosts: {} hosts", names.size());
  if (std::ssize(names) < need.hosts || (slots && *slots < need.ranks_per_node))
    throw BadUsage(
        fmt::format("{}: too few for the sweep, which was begun with {} ranks on each of {} hosts: resume it with as "
                    "many, or begin another sweep",
                    what, need.ranks_per_node, need.hosts));
  if (!says_ranks_per_node(checked.sweep)) checked.sweep.ranks_per_node = need.ranks_per_node;
  checked.sweep.hosts = names;
  if (here.hosts.empty()) {
    checked.hosts_origin = {HostsOrigin::Kind::allocation, std::string(name(here.allocation->source)),
                            here.allocation->from};
  } else {
    checked.hosts_origin = {HostsOrigin::Kind::command_line, "command line", "--hosts"};
  }
}

}  // namespace ringmark::sweep
