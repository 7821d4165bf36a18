// The lab's hosts with names and addresses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "lab/rate.hpp"

namespace ringmark::lab {

struct Nic {
  std::string device;    // e0
  std::string address;   // 10.77.0.3; in a fabric 10.LEAF.RAIL.HOST
  std::string address6;  // fd77::3, with the same last digits; empty in a fabric
};

struct Host {
  int index = 0;
  std::string name;  // host-2
  Rate rate;         // of each NIC
  std::vector<Nic> nics;
  pid_t holder = 0;  // the process that keeps the host's namespaces

  /// The address of the first NIC.
  const std::string& address() const { return nics.front().address; }
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rate, bits_per_second)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Nic, device, address, address6)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Host, index, name, rate, nics, holder)

/// By number, name or address; nullptr if not found.
const Host* find_host(const std::vector<Host>& hosts, std::string_view which);

}  // namespace ringmark::lab
