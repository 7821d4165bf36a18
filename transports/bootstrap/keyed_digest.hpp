// HMAC-SHA-256: the proof that a sender knows a key, without showing it.
#pragma once

#include <array>
#include <string_view>

namespace ringmark {

using Digest = std::array<unsigned char, 32>;

Digest keyed_digest(std::string_view key, std::string_view bytes);

/// Takes the same time wherever they differ.
bool are_equal(const Digest& a, const Digest& b);

}  // namespace ringmark
