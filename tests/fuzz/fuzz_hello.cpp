// Bytes from strangers: no hello without the token, and what is read is what was written.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "transports/fabric/tcp/hello.hpp"
#include "transports/fabric/tcp/messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark;
  RunToken token{};
  token.bytes.fill(0x5a);
  const std::span<const unsigned char> wire(data, size);
  if (const auto hello = read_hello(wire)) {
    const auto again = write_hello(*hello, std::string(hello->text_bytes, 'x'), token);
    if (read_hello({reinterpret_cast<const unsigned char*>(again.data()), again.size()}) != hello) std::abort();
  }
  if (proof_of(wire, token)) std::abort();
  if (read_welcome(wire, Digest{}, token)) std::abort();
  try {
    const auto read = [](std::string_view bytes) {
      return decode<AddressOffer>(AddressOffer::exchange, bytes, "a stranger");
    };
    const auto offer = read({reinterpret_cast<const char*>(data), size});
    if (read(encode(AddressOffer::exchange, offer)) != offer) std::abort();
  } catch (const std::exception&) {
  }
  return 0;
}
