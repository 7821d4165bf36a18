// The part of a launch that one node starts, where another system has started the nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweeps/launch/command.hpp"

namespace ringmark::sweep {

/// True for the launchers whose nodes another system starts.
bool needs_nodes(LauncherKind kind);

/// Where the ranks of a launch meet: on node 0, at one of the eight ports after `port`.
struct MeetingPoint {
  std::string host;
  std::uint16_t port = 0;
  std::string run;  ///< distinguishes this launch from others that meet there
};

/// For launchers `none` (a shell starts the ranks, with torchrun's variables) and `torchrun`. `node` counts from 0, and
/// is below nodes_of(resolved). The environment is that of the setting.
Command node_part(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program, int node,
                  const MeetingPoint& meeting);

/// torchrun ends with status 1 whatever the status of its ranks, so rank 0 writes its own to this file.
std::vector<std::string> leaving_status(const std::vector<std::string>& program, const std::string& file);

}  // namespace ringmark::sweep
