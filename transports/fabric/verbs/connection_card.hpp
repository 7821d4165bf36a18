// What the two ends of a queue pair tell each other before they connect it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "transports/fabric/verbs/device.hpp"

namespace ringmark {

/// Travels as it lies in memory, between machines of one byte order; `version` first of all.
struct ConnectionCard {
  static constexpr std::uint32_t current_version = 1;

  std::uint32_t version = current_version;
  std::uint32_t qp_num = 0;
  std::uint32_t psn = 0;  ///< packet sequence number that this end starts sending with
  std::uint16_t lid = 0;
  std::uint8_t link_layer = 0;
  std::uint8_t mtu_code = 0;  ///< of the port, or less if asked for
  std::uint64_t eager_address = 0;
  std::uint32_t eager_key = 0;
  std::uint32_t eager_bytes = 0;  ///< of a slot
  ibv::Gid gid{};
  std::uint8_t gid_is_v2 = 0, gid_is_ipv4 = 0;
  std::uint8_t unused_[6]{};
  char port[64]{};  ///< for messages: "mlx5_0:1"
};
static_assert(std::is_trivially_copyable_v<ConnectionCard> && sizeof(ConnectionCard) == 120);

/// This end's card, but for what a queue pair adds.
ConnectionCard describe_port(const VerbsDevice& device, const VerbsOptions& options);

/// Nothing if the two ends can talk, or why not. `mine` and `theirs` are what to call them: "rank 0 on a".
std::optional<std::string> why_cannot_talk(const ConnectionCard& mine, const std::string& my_name,
                                           const ConnectionCard& theirs, const std::string& their_name);

}  // namespace ringmark
