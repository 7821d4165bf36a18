// Hosts that are set up in another way than most.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark::accept {

struct Difference {
  std::size_t host;
  std::string fact;  ///< "interfaces/eth0/mtu"
  std::string value, usual;
  bool matters;  ///< it changes the rate: MTU, speed, duplex, firmware, PCIe's width; others are only told
};

/// From the facts of hosts as `ringmark-sweep describe-node` collects them. Facts that have no usual value, because
/// less than half of the hosts share one, say nothing.
std::vector<Difference> differences(const std::map<std::size_t, nlohmann::json>& facts);

}  // namespace ringmark::accept
