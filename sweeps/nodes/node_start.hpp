// How a process of ringmark-sweep learns which of a sweep's nodes it is, where another system has started them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "sweeps/file/checked_sweep.hpp"
#include "sweeps/nodes/nodes.hpp"

namespace ringmark::sweep {

constexpr std::chrono::milliseconds default_time_for_nodes{600'000};

/// The launcher of a sweep; the command line takes precedence over the file.
LauncherKind launcher_of(const std::string& path, const Overrides& overrides);
/// The launcher of a sweep that was begun; empty if its folder cannot be read on this node, or is damaged.
std::optional<LauncherKind> launcher_in(const std::string& folder);

/// Where this process meets the other nodes; empty for launchers without needs_nodes(), and for a single node. Sets the
/// number of nodes in `overrides`. Throws BadUsage for variables that are wrong or missing.
std::optional<Rendezvous> place_among_nodes(LauncherKind launcher, Overrides& overrides);

/// Throws BadUsage if the sweep needs more than `nodes` nodes; `source` names the origin of that number, if any.
void check_nodes(const CheckedSweep& checked, int nodes, const std::string& source);

/// Throws BadUsage if no secret is set, and TransportError if some nodes do not connect in time.
std::unique_ptr<Nodes> meet_nodes(const std::optional<Rendezvous>& place, std::chrono::milliseconds timeout);

}  // namespace ringmark::sweep
