#include "transports/fabric/verbs/connection_card.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark {

ConnectionCard describe_port(const VerbsDevice& device, const VerbsOptions& options) {
  const auto& port = device.port();
  ConnectionCard card;
  card.lid = port.attr.lid;
  card.link_layer = port.attr.link_layer;
  card.mtu_code = static_cast<std::uint8_t>(port.attr.active_mtu);
  if (options.mtu_bytes != 0) card.mtu_code = static_cast<std::uint8_t>(mtu_code(options.mtu_bytes));
  card.eager_bytes = static_cast<std::uint32_t>(options.eager_bytes);
  card.gid = device.gid().gid;
  card.gid_is_v2 = device.gid().type == "RoCE v2" ? 1 : 0;
  card.gid_is_ipv4 = device.gid().is_ipv4() ? 1 : 0;
  const auto name = port.name();
  std::copy_n(name.begin(), std::min(name.size(), sizeof card.port - 1), card.port);
  return card;
}

std::optional<std::string> why_cannot_talk(const ConnectionCard& mine, const std::string& my_name,
                                           const ConnectionCard& theirs, const std::string& their_name) {
  if (theirs.version != mine.version) {
    return fmt::format("{} and {} run different versions of ringmark", my_name, their_name);
  }
  const auto differ = [&](std::string_view what, std::string_view my_own, std::string_view their_own) {
    return fmt::format("{} ({}) and {} ({}) cannot connect: their {} differ, {} and {}", my_name, mine.port, their_name,
                       theirs.port, what, my_own, their_own);
  };
  if (theirs.link_layer != mine.link_layer) {
    return differ("link layers", link_layer_name(mine.link_layer), link_layer_name(theirs.link_layer));
  }
  if (mine.link_layer == ibv::link_layer_ethernet) {
    if (theirs.gid_is_v2 != mine.gid_is_v2) {
      return differ("GID types", mine.gid_is_v2 ? "RoCE v2" : "RoCE v1", theirs.gid_is_v2 ? "RoCE v2" : "RoCE v1") +
             "; choose with --set verbs.gid_index";
    }
    if (theirs.gid_is_ipv4 != mine.gid_is_ipv4) {
      return differ("address families", mine.gid_is_ipv4 ? "IPv4" : "IPv6", theirs.gid_is_ipv4 ? "IPv4" : "IPv6") +
             "; choose with --set verbs.gid_family";
    }
  }
  if (theirs.eager_bytes != mine.eager_bytes) {
    return differ("eager sizes", std::to_string(mine.eager_bytes), std::to_string(theirs.eager_bytes));
  }
  return std::nullopt;
}

}  // namespace ringmark
