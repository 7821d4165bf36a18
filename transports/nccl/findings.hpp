// What NCCL's log says that it does: which network, which algorithm, and what it warned of.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transports/nccl/log_lines.hpp"

namespace ringmark {

struct NcclFindings {
  std::set<std::string> connections;   ///< "NET/Socket", "P2P", "SHM"
  bool gpu_direct = false;             ///< of a connection over the network
  std::optional<NcclNetwork> network;  ///< that NCCL chose, whether or not a connection uses it
  std::optional<NcclSocketThreads> socket_threads;
  std::optional<int> channels;           ///< that a communicator has for collectives
  std::optional<NcclChoiceLine> choice;  ///< the last
  std::vector<std::string> warnings;
  std::size_t skipped_lines = 0;  ///< that are none of NCCL's, or cut off before they say what they are

  /// Whole lines.
  void add(std::string_view log);
  /// The contract's word: "tcp", "ib", "roce", "shm", "device"; empty if no connection was seen. What goes over a
  /// network decides.
  std::string network_word() const;
};

/// The settings that did not come to pass, in words; empty if all did, or nothing is known. `collective` is ours,
/// "all_reduce"; environment as nccl_environment() has it.
std::string ignored_settings(const NcclFindings& findings, const std::map<std::string, std::string>& environment,
                             std::string_view collective);

}  // namespace ringmark
