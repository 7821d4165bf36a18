// Host files as MPI's launchers and batch systems write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringmark::sweep {

/// The maximum number of slots of a host.
constexpr int most_slots = 4096;

struct AllocatedHost {
  std::string name;
  std::optional<int> slots;  ///< ranks that it may run; empty if not given

  bool operator==(const AllocatedHost&) const = default;
};

/// A host on each line: `node1`, `node1 slots=4`, `node1:4`, also in Slurm's notation (`node[01-04]:4`). A host that is
/// repeated, as in PBS's files, has a slot for each line. Comments begin with #. Throws BadUsage, whose message begins
/// with `what`, for invalid hosts or numbers, and for a file without hosts.
std::vector<AllocatedHost> parse_host_file(const std::string& text, const std::string& what);

/// Throws BadUsage for a name that no host can have, such as one that a launcher would parse as a flag.
void check_host_name(const std::string& name, const std::string& what);

}  // namespace ringmark::sweep
