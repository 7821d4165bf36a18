// The first bytes on every connection, by which the ranks of a run recognise each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "transports/bootstrap/keyed_digest.hpp"

namespace ringmark {

/// A run's secret, from the system's random source. It is the key of the digests by which ranks prove to each other
/// that they belong to the run, and is never sent over their connections.
struct RunToken {
  std::array<unsigned char, 32> bytes;

  static RunToken random();
  /// A token derived from this one and a secret that the ranks share, since this one may have been sent in clear text.
  /// Returns this token if the secret is empty.
  RunToken mixed_with(const std::string& secret) const;
};

enum class HelloKind : std::uint8_t {
  stream = 1,
  abort = 2,
  probe = 3,     ///< asks nothing; any answer of the host is enough
  question = 4,  ///< asks whether the receiver hears a rank: welcomed if so, otherwise the connection is closed
};

struct Hello {
  HelloKind kind = HelloKind::stream;
  std::uint32_t rank = 0;  ///< of the sender, in the whole run
  std::uint32_t to = 0;    ///< the rank it is addressed to
  std::uint64_t communicator = 0;
  std::uint32_t socket = 0;      ///< number of the connection among those between the same two ranks
  std::uint32_t text_bytes = 0;  ///< length of what follows: for `abort`, an encoded Loss; for `question`, the rank

  bool operator==(const Hello&) const = default;
};

constexpr std::size_t hello_bytes = 84;
constexpr std::size_t welcome_bytes = 40;
constexpr std::size_t most_hello_text = 4096;

using WelcomeWire = std::array<unsigned char, welcome_bytes>;

/// Little-endian: "RINGMARK", version (2 bytes), kind (1), zero (1), rank (4), to (4), communicator (8), socket (4),
/// text_bytes (4), a random number (16); the digest of all that and of the text (32); the text, whose length becomes
/// text_bytes. No two hellos are equal, so a repeated one is a replay by an eavesdropper.
std::string write_hello(Hello hello, std::string_view text, const RunToken& token);
/// The first hello_bytes, which prove nothing yet. Empty unless they are a hello of this version.
std::optional<Hello> read_hello(std::span<const unsigned char> wire);
/// The digest of a whole hello with its text; empty unless it was made with this token. Compared in constant time.
std::optional<Digest> proof_of(std::span<const unsigned char> hello_and_text, const RunToken& token);

/// "RINGMARK" and a digest of the hello's digest, so that it answers only that hello.
WelcomeWire write_welcome(const Digest& hello, const RunToken& token);
bool read_welcome(std::span<const unsigned char> wire, const Digest& hello, const RunToken& token);

}  // namespace ringmark
