// The commands of ringmark-sweep. Each returns an exit status and throws BadUsage, CannotGoOn, Interrupted or
// std::system_error.
#pragma once

#include <optional>
#include <string>

#include "sweeps/file/overrides.hpp"
#include "sweeps/file/sweep.hpp"
#include "sweeps/nodes/node_start.hpp"

namespace ringmark::sweep {

int begin(const std::string& path, const std::string& folder, const std::string& command, Overrides overrides,
          std::chrono::milliseconds time_for_nodes = default_time_for_nodes);
/// Takes only the hosts, the allocation and the nodes from `here`, and moves the sweep to them. Refuses hosts other
/// than those where it began, unless the command line names hosts or `takes_other_hosts`.
int resume(const std::string& folder, const Overrides& here, bool takes_other_hosts,
           std::chrono::milliseconds time_for_nodes = default_time_for_nodes);
/// Prints every command line and an estimate of the total time, based on the launches in `folder`, if any.
int dry_run(const std::string& path, const std::string& folder, Overrides overrides);
/// Lists the sweeps of a folder with their questions; by default the shipped ones. Writes them as sweep/1 to
/// `json_file` unless that is empty.
int list(const std::string& folder, const std::string& json_file = "");

struct SurfaceOptions {
  std::string csv;
  std::optional<Search> search;
  std::optional<int> budget_launches;
  std::optional<std::uint64_t> seed;
};
/// Tunes over a recorded grid.
int tune_on_surface(const std::string& path, const SurfaceOptions& options);

}  // namespace ringmark::sweep
