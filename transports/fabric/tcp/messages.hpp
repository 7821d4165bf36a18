// The values that ranks exchange about their sockets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transports/bootstrap/host_identity.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/address.hpp"
#include "transports/fabric/tcp/hello.hpp"

namespace ringmark {

/// The name of the message with which a rank reports a Loss to others.
constexpr auto notice_exchange = "notice of a loss";

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InterfaceAddress, interface, address, family, prefix_bits, loopback)

/// The addresses that a rank's options allow, or why they allow none.
struct AddressOffer {
  static constexpr auto exchange = "addresses";
  HostIdentity host;
  std::string problem;
  std::vector<InterfaceAddress> addresses;

  bool operator==(const AddressOffer&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AddressOffer, host, problem, addresses)

/// Where a rank listens. Rank 0's token becomes the run's.
struct Listener {
  static constexpr auto exchange = "port and token";
  RunToken token;
  std::uint16_t port = 0;
};

}  // namespace ringmark
