#include "transports/fabric/tcp/hello.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/system/check.hpp"

namespace ringmark {
namespace {

constexpr std::string_view magic = "RINGMARK";
constexpr std::uint16_t version = 3;
constexpr std::size_t random_bytes = 16;
constexpr std::size_t unproven_bytes = hello_bytes - std::tuple_size_v<Digest>;

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
  bool equals(std::string_view expected) {
    const auto part = from_.subspan(at_, expected.size());
    at_ += expected.size();
    return std::equal(part.begin(), part.end(), expected.begin(),
                      [](unsigned char byte, char other) { return byte == static_cast<unsigned char>(other); });
  }

 private:
  std::span<const unsigned char> from_;
  std::size_t at_ = 0;
};

std::string_view as_text(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Digest digest_of(std::string_view bytes, const RunToken& key) { return keyed_digest(as_text(key.bytes), bytes); }

/// A hello's digest can never equal a welcome's, because the digested bytes begin differently.
Digest welcome_digest(const Digest& hello, const RunToken& token) {
  return digest_of(std::string("WELCOME ") += as_text(hello), token);
}

}  // namespace

RunToken RunToken::random() {
  RunToken token;
  fill_random(token.bytes);
  return token;
}

RunToken RunToken::mixed_with(const std::string& secret) const {
  if (secret.empty()) return *this;
  return {keyed_digest(secret, std::string("RUN TOKEN ") += as_text(bytes))};
}

std::string write_hello(Hello hello, std::string_view text, const RunToken& token) {
  hello.text_bytes = static_cast<std::uint32_t>(text.size());
  std::array<unsigned char, random_bytes> once;
  fill_random(once);
  std::array<unsigned char, hello_bytes> wire{};
  Writer writer(wire);
  writer.bytes(magic);
  writer.number(version);
  writer.number(static_cast<std::uint8_t>(hello.kind));
  writer.number(std::uint8_t{0});
  writer.number(hello.rank);
  writer.number(hello.to);
  writer.number(hello.communicator);
  writer.number(hello.socket);
  writer.number(hello.text_bytes);
  writer.bytes(once);
  const auto head = as_text(wire).substr(0, unproven_bytes);
  writer.bytes(digest_of(std::string(head) += text, token));
  return std::string(as_text(wire)) += text;
}

std::optional<Hello> read_hello(std::span<const unsigned char> wire) {
  if (wire.size() < hello_bytes) return std::nullopt;
  Reader reader(wire);
  const bool is_ours = reader.equals(magic);
  const bool same_version = reader.number<std::uint16_t>() == version;
  Hello hello;
  hello.kind = static_cast<HelloKind>(reader.number<std::uint8_t>());
  const bool zero = reader.number<std::uint8_t>() == 0;
  hello.rank = reader.number<std::uint32_t>();
  hello.to = reader.number<std::uint32_t>();
  hello.communicator = reader.number<std::uint64_t>();
  hello.socket = reader.number<std::uint32_t>();
  hello.text_bytes = reader.number<std::uint32_t>();
  const bool known_kind = hello.kind >= HelloKind::stream && hello.kind <= HelloKind::question;
  if (!is_ours || !same_version || !zero || !known_kind || hello.text_bytes > most_hello_text) return std::nullopt;
  return hello;
}

std::optional<Digest> proof_of(std::span<const unsigned char> hello_and_text, const RunToken& token) {
  if (hello_and_text.size() < hello_bytes) return std::nullopt;
  const auto text = hello_and_text.subspan(hello_bytes);
  const auto digest = digest_of(std::string(as_text(hello_and_text.first(unproven_bytes))) += as_text(text), token);
  if (!are_equal(hello_and_text.subspan(unproven_bytes, digest.size()), digest)) return std::nullopt;
  return digest;
}

WelcomeWire write_welcome(const Digest& hello, const RunToken& token) {
  WelcomeWire wire{};
  Writer writer(wire);
  writer.bytes(magic);
  writer.bytes(welcome_digest(hello, token));
  return wire;
}

bool read_welcome(std::span<const unsigned char> wire, const Digest& hello, const RunToken& token) {
  if (wire.size() != welcome_bytes) return false;
  const bool is_ours = Reader(wire).equals(magic);
  return are_equal(wire.subspan(magic.size()), welcome_digest(hello, token)) && is_ours;
}

}  // namespace ringmark
