// The data that the two ends of a queue pair exchange before they connect it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "transports/fabric/verbs/device.hpp"

namespace ringmark {

/// Sent as its bytes in memory, between machines of the same byte order; `version` comes first.
struct ConnectionCard {
  static constexpr std::uint32_t current_version = 1;

  std::uint32_t version = current_version;
  std::uint32_t qp_num = 0;
  std::uint32_t psn = 0;  ///< packet sequence number of this end's first packet
  std::uint16_t lid = 0;
  std::uint8_t link_layer = 0;
  std::uint8_t mtu_code = 0;  ///< the port's, or a smaller one from the options
  std::uint64_t eager_address = 0;
  std::uint32_t eager_key = 0;
  std::uint32_t eager_bytes = 0;  ///< per slot
  ibv::Gid gid{};
  std::uint8_t gid_is_v2 = 0, gid_is_ipv4 = 0;
  std::uint8_t unused_[6]{};
  char port[64]{};  ///< for messages: "mlx5_0:1"
};
static_assert(std::is_trivially_copyable_v<ConnectionCard> && sizeof(ConnectionCard) == 120);

/// This end's card without the queue pair's fields.
ConnectionCard describe_port(const VerbsDevice& device, const VerbsOptions& options);

/// Empty if the two ends can connect, otherwise the reason why not. The names are for messages: "rank 0 on a".
std::optional<std::string> why_cannot_talk(const ConnectionCard& mine, const std::string& my_name,
                                           const ConnectionCard& theirs, const std::string& their_name);

}  // namespace ringmark
