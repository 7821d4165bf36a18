// The first bytes on every connection, by which the ranks of a run recognise each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ringmark {

/// A run's secret, from the system's random source. The connecting side sends the first half, the accepting side
/// answers with the second half, so each proves itself to the other.
struct RunToken {
  std::array<unsigned char, 32> bytes;

  static RunToken random();
};

enum class HelloKind : std::uint8_t { stream = 1, abort = 2 };

struct Hello {
  HelloKind kind = HelloKind::stream;
  std::uint32_t rank = 0;  ///< of the sender, in the whole run
  std::uint64_t communicator = 0;
  std::uint32_t socket = 0;      ///< number of the connection among those between the same two ranks
  std::uint32_t text_bytes = 0;  ///< length of what follows: for `abort`, an encoded Loss

  bool operator==(const Hello&) const = default;
};

constexpr std::size_t hello_bytes = 48;
constexpr std::size_t welcome_bytes = 24;
constexpr std::size_t most_hello_text = 4096;

using HelloWire = std::array<unsigned char, hello_bytes>;
using WelcomeWire = std::array<unsigned char, welcome_bytes>;

/// Little endian: "RINGMARK", version (2 bytes), kind (1), zero (1), rank (4), communicator (8), socket (4),
/// text_bytes (4), the token's first half (16).
HelloWire write_hello(const Hello& hello, const RunToken& token);
/// Empty unless every byte belongs to a hello of this version and run. The token is compared in constant time.
std::optional<Hello> read_hello(std::span<const unsigned char> wire, const RunToken& token);

/// "RINGMARK" and the token's second half.
WelcomeWire write_welcome(const RunToken& token);
bool read_welcome(std::span<const unsigned char> wire, const RunToken& token);

}  // namespace ringmark
