// The host of a rank: its name, and the facts that distinguish it from other hosts of the same name.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark {

/// The name alone is not enough: containers are often all called localhost, and those on one machine share its boot ID.
/// Without information from /proc, only the name decides, as in MPI libraries.
struct HostIdentity {
  std::string name;
  std::string machine;  ///< the boot ID of its kernel
  std::string network;  ///< its network namespace, in which loopback reaches all of the host's ranks

  bool operator==(const HostIdentity&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostIdentity, name, machine, network)

HostIdentity this_host();

/// The host names by rank. Different hosts with the same name are numbered in order of their first ranks: localhost#1,
/// localhost#2.
std::vector<std::string> distinct_names(const std::vector<HostIdentity>& hosts);

/// The names that several hosts share, given the result of distinct_names.
std::vector<std::string> shared_names(const std::vector<std::string>& distinct);

}  // namespace ringmark
