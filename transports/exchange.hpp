// Typed exchanges between ranks. A value is sent as CBOR together with a version and the name of its exchange, so that
// a rank of another version, or one at a different point in the program, is recognised.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark {

/// The bytes of a message in the exchange with that name.
std::string pack_message(std::string_view exchange, nlohmann::json value);
/// The value of such a message. Throws TransportError, naming the sender, if the bytes are not a valid message.
nlohmann::json unpack_message(std::string_view exchange, std::string_view bytes, std::string_view sender);
[[noreturn]] void throw_unreadable(std::string_view exchange, std::string_view sender);

/// A trivially copyable struct is sent as its bytes in memory, between machines of the same byte order; everything else
/// as its to_json defines.
template <class T>
constexpr bool travels_as_bytes = std::is_class_v<T>&& std::is_trivially_copyable_v<T>;

template <class T>
std::string encode(std::string_view exchange, const T& value) {
  if constexpr (travels_as_bytes<T>) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    return pack_message(exchange, nlohmann::json::binary({bytes, bytes + sizeof value}));
  } else {
    return pack_message(exchange, value);
  }
}

/// Throws TransportError, naming the sender, if the bytes are not such a value.
template <class T>
T decode(std::string_view exchange, std::string_view bytes, std::string_view sender) {
  const auto json = unpack_message(exchange, bytes, sender);
  if constexpr (travels_as_bytes<T>) {
    T value;
    if (!json.is_binary() || json.get_binary().size() != sizeof value) throw_unreadable(exchange, sender);
    std::copy_n(json.get_binary().data(), sizeof value, reinterpret_cast<std::uint8_t*>(&value));
    return value;
  } else {
    try {
      return json.template get<T>();
    } catch (const nlohmann::json::exception&) {
      throw_unreadable(exchange, sender);
    }
  }
}

/// Every rank's value, in rank order. All ranks call it in the same order. `ranks` is a Bootstrap or a Control, which
/// gathers bytes.
template <class T, class Ranks>
std::vector<T> exchange(Ranks& ranks, std::string_view name, const T& mine) {
  std::vector<T> values;
  const std::vector<std::string> all = ranks.all_gather(encode(name, mine));
  values.reserve(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    // Neighbours often send the same, and decoding takes far longer than comparing.
    if (rank > 0 && all[rank] == all[rank - 1]) {
      values.push_back(values.back());
    } else {
      values.push_back(decode<T>(name, all[rank], "rank " + std::to_string(rank)));
    }
  }
  return values;
}

}  // namespace ringmark
