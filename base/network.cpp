#include "base/network.hpp"

#include "base/text/names.hpp"

namespace ringmark {
namespace {

constexpr auto network_names = names_up_to<Network::device>("ib", "roce", "tcp", "shm", "device");

}  // namespace

std::string name(const Network& network) {
  return network.kind_ == Network::plug_in ? network.plug_in_ : std::string(network_names.of(network.kind_));
}

std::optional<Network> parse_network(std::string_view text) {
  if (const auto kind = network_names.find(text)) return Network(*kind);
  if (!text.starts_with("NET/")) return std::nullopt;
  Network network(Network::plug_in);
  network.plug_in_ = text;
  return network;
}

}  // namespace ringmark
