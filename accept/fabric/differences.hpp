// Hosts that are set up differently from most.
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
  bool matters;  ///< affects the rate: MTU, speed, duplex, firmware, PCIe width; other differences are only reported
};

/// From the facts that `ringmark-sweep describe-node` collects. Facts without a usual value, because fewer than half of
/// the hosts share one, are ignored.
std::vector<Difference> differences(const std::map<std::size_t, nlohmann::json>& facts);

}  // namespace ringmark::accept
