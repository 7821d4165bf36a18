#include "transports/fabric/tcp/hello.hpp"

#include <string_view>

#include <sys/random.h>

#include "base/system/check.hpp"

namespace ringmark {
namespace {

constexpr std::string_view magic = "RINGMARK";
constexpr std::uint16_t version = 2;
constexpr std::size_t half_token = 16;

class Writer {
 public:
  explicit Writer(std::span<unsigned char> to) : to_(to) {}
  template <class Number>
  void number(Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i) to_[at_++] = static_cast<unsigned char>(value >> (8 * i));
  }
  template <class Bytes>
  void bytes(const Bytes& from) {
    for (const auto byte : from) to_[at_++] = static_cast<unsigned char>(byte);
  }

 private:
  std::span<unsigned char> to_;
  std::size_t at_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const unsigned char> from) : from_(from) {}
  template <class Number>
  Number number() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) value |= std::uint64_t{from_[at_++]} << (8 * i);
    return static_cast<Number>(value);
  }
  template <class Bytes>
  bool equals(const Bytes& expected) {
    unsigned char difference = 0;
    for (const auto byte : expected) {
      difference = static_cast<unsigned char>(difference | (from_[at_++] ^ static_cast<unsigned char>(byte)));
    }
    return difference == 0;
  }

 private:
  std::span<const unsigned char> from_;
  std::size_t at_ = 0;
};

std::span<const unsigned char> first_half(const RunToken& token) { return std::span(token.bytes).first(half_token); }
std::span<const unsigned char> second_half(const RunToken& token) { return std::span(token.bytes).last(half_token); }

}  // namespace

RunToken RunToken::random() {
  RunToken token;
  check_sys(::getrandom(token.bytes.data(), token.bytes.size(), 0), "read the system's random source");
  return token;
}

HelloWire write_hello(const Hello& hello, const RunToken& token) {
  HelloWire wire{};
  Writer writer(wire);
  writer.bytes(magic);
  writer.number(version);
  writer.number(static_cast<std::uint8_t>(hello.kind));
  writer.number(std::uint8_t{0});
  writer.number(hello.rank);
  writer.number(hello.communicator);
  writer.number(hello.socket);
  writer.number(hello.text_bytes);
  writer.bytes(first_half(token));
  return wire;
}

std::optional<Hello> read_hello(std::span<const unsigned char> wire, const RunToken& token) {
  if (wire.size() != hello_bytes) return std::nullopt;
  Reader reader(wire);
  const bool is_ours = reader.equals(magic);
  const bool same_version = reader.number<std::uint16_t>() == version;
  Hello hello;
  const auto kind = reader.number<std::uint8_t>();
  hello.kind = static_cast<HelloKind>(kind);
  const bool zero = reader.number<std::uint8_t>() == 0;
  hello.rank = reader.number<std::uint32_t>();
  hello.communicator = reader.number<std::uint64_t>();
  hello.socket = reader.number<std::uint32_t>();
  hello.text_bytes = reader.number<std::uint32_t>();
  const bool known_kind = hello.kind == HelloKind::stream || hello.kind == HelloKind::abort;
  const bool trusted = reader.equals(first_half(token));
  if (!is_ours || !same_version || !zero || !known_kind || !trusted || hello.text_bytes > most_hello_text) {
    return std::nullopt;
  }
  return hello;
}

WelcomeWire write_welcome(const RunToken& token) {
  WelcomeWire wire{};
  Writer writer(wire);
  writer.bytes(magic);
  writer.bytes(second_half(token));
  return wire;
}

bool read_welcome(std::span<const unsigned char> wire, const RunToken& token) {
  if (wire.size() != welcome_bytes) return false;
  Reader reader(wire);
  const bool is_ours = reader.equals(magic);
  return reader.equals(second_half(token)) && is_ours;
}

}  // namespace ringmark
