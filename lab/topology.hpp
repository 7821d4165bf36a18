// The network: a bridge in its own namespace, and a link from each host to it, shaped in both directions.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "lab/hosts.hpp"

namespace ringmark::lab {

/// Input of `ip -batch` that makes the bridge, and every host's link to it.
std::string bridge_batch();
std::string links_batch(const std::vector<Host>& hosts);
/// Input of `ip -batch` on a host.
std::string addresses_batch(const Host& host, bool ipv6);
/// Input of `tc -batch` on the bridge and on a host; empty without shaping.
std::string bridge_shaping_batch(const std::vector<Host>& hosts);
std::string host_shaping_batch(const Host& host);

class Topology {
 public:
  /// Finds ip, and tc if a host is shaped. Throws Unusable.
  Topology(const std::vector<Host>& hosts, bool verbose);

  /// All namespaces must exist and be empty.
  void build(const std::vector<Host>& hosts, pid_t bridge) const;

  /// Cuts a link as if the cable had been pulled: the host's e0 loses its carrier.
  void cut(const Host& host, pid_t bridge) const;

 private:
  /// One run of a tool. `aim` and `remedy` are for the message if it fails.
  struct Step {
    const std::string& tool;
    const char* aim;
    const char* remedy;
  };
  void apply(const Step& step, const std::string& batch, pid_t where) const;

  std::string ip_, tc_;
  bool verbose_;
};

}  // namespace ringmark::lab
