// Facts from NCCL's log: the network, the algorithm and the warnings.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/network.hpp"
#include "transports/nccl/log_lines.hpp"

namespace ringmark {

struct NcclFindings {
  std::set<std::string> connections;   ///< "NET/Socket", "P2P", "SHM"
  bool gpu_direct = false;             ///< a connection over the network uses GPUDirect
  std::optional<NcclNetwork> network;  ///< NCCL's choice, whether or not a connection uses it
  std::optional<NcclSocketThreads> socket_threads;
  std::optional<int> channels;           ///< number of a communicator's channels for collectives
  std::optional<NcclChoiceLine> choice;  ///< the last one in the log
  std::vector<std::string> warnings;
  std::size_t skipped_lines = 0;  ///< lines that are not from NCCL, or were cut off too early to be recognised

  /// Adds the findings of a part of the log, which must be whole lines.
  void add(std::string_view log);
  /// The network of a connection between hosts, if there is one; otherwise how ranks on a host reach each other. Empty
  /// if no connection was seen.
  std::optional<Network> network_used() const;
};

/// Descriptions of settings that NCCL did not follow; empty if it followed all, or if the log does not show it.
/// `collective` is our name, "all_reduce"; `environment` has the form of nccl_environment().
std::string ignored_settings(const NcclFindings& findings, const std::map<std::string, std::string>& environment,
                             std::string_view collective);

}  // namespace ringmark
