// Files of hosts as MPI's launchers and batch systems write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringmark::sweep {

/// No host has more.
constexpr int most_slots = 4096;

struct AllocatedHost {
  std::string name;
  std::optional<int> slots;  ///< ranks that it may have; none if nobody said

  bool operator==(const AllocatedHost&) const = default;
};

/// A host on each line: `node1`, `node1 slots=4`, `node1:4`, also in Slurm's notation (`node[01-04]:4`). A host that
/// comes again, as in PBS' files, has a slot for each line. Comments begin with #. Throws BadUsage, which begins with
/// `what`, for what is no host, for numbers that are none, and for a file without hosts.
std::vector<AllocatedHost> parse_host_file(const std::string& text, const std::string& what);

/// Throws BadUsage for a name that no host has, which a launcher could take for a flag.
void check_host_name(const std::string& name, const std::string& what);

}  // namespace ringmark::sweep
