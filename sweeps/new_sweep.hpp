// A first sweep file, made for the cluster on which it is written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/file/sweep.hpp"
#include "sweeps/launch/allocation.hpp"

namespace ringmark::sweep {

struct Interface {
  std::string name;
  bool is_up = false;
  int speed_Mbps = 0;  ///< 0 if the device does not report it

  bool operator==(const Interface&) const = default;
};

/// The facts about a cluster that can be seen from one of its nodes.
struct ClusterFacts {
  std::string host;
  std::optional<Allocation> allocation;
  std::vector<std::string> named_hosts;  ///< hosts that the command line names, in place of the allocation's
  LauncherKind launcher = LauncherKind::local;
  std::string why_launcher;
  std::vector<Interface> interfaces;  ///< without the loopback; those that are up and faster first
  std::vector<std::string> rdma_devices;
  int gpus = 0;
  bool has_nccl = false;
};

/// Looks at this node: below `root` for devices, and in PATH for launchers.
ClusterFacts find_cluster(std::optional<Allocation> allocation, std::vector<std::string> named_hosts = {},
                          const std::filesystem::path& root = "/", const EnvironmentLookup& variable = own_variable);

/// The file, with comments; `ringmark-sweep run FILE --dry-run` accepts it unedited.
std::string new_sweep(const ClusterFacts& cluster);

}  // namespace ringmark::sweep
