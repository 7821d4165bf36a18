#include "transports/exchange.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

/// The version of messages between ranks; a different one means that the programs differ.
constexpr int message_version = 2;

}  // namespace

std::string pack_message(std::string_view exchange, nlohmann::json value) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json::array({message_version, exchange, std::move(value)}), bytes);
  return bytes;
}

nlohmann::json unpack_message(std::string_view exchange, std::string_view bytes, std::string_view sender) {
  auto message = nlohmann::json::from_cbor(bytes, true, false);
  constexpr std::size_t parts = 3;
  if (!message.is_array() || message.size() != parts || !message[0].is_number_integer() || !message[1].is_string())
    throw_unreadable(exchange, sender);
  if (message[0] != message_version)
    throw TransportError(fmt::format("{} runs a different version of ringmark: its messages have version {}, ours {}",
                                     sender, message[0].get<int>(), message_version));
  if (message[1] != exchange)
    throw TransportError(fmt::format("{} sent its {} where its {} was expected: the ranks run different programs",
                                     sender, message[1].get<std::string>(), exchange));
  return std::move(message[2]);
}

void throw_unreadable(std::string_view exchange, std::string_view sender) {
  throw TransportError(
      fmt::format("cannot read the {} sent by {}: it may run a different version of ringmark", exchange, sender));
}

}  // namespace ringmark
