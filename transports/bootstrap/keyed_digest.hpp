// HMAC-SHA-256, which proves that a sender knows a key without revealing it, and the random bytes that go into it.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace ringmark {

using Digest = std::array<unsigned char, 32>;

Digest keyed_digest(std::string_view key, std::string_view bytes);

/// Takes the same time wherever the digests differ.
bool are_equal(std::span<const unsigned char> bytes, const Digest& digest);

/// From the system's random source.
void fill_random(std::span<unsigned char> bytes);

}  // namespace ringmark
