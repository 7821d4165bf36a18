// A copy that bypasses the cache, for data that is not read again soon: the destination's lines are not fetched before
// they are overwritten, and evict nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ringmark {

/// Same contract as std::memcpy.
inline void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t vector = sizeof(__m128i), line = 4 * vector;
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % line;
  const std::size_t head = misaligned == 0 ? 0 : line - misaligned;
  if (bytes >= head + line) {
    std::memcpy(to, from, head);
    to += head, from += head, bytes -= head;
    for (; bytes >= line; to += line, from += line, bytes -= line) {
      for (std::size_t at = 0; at < line; at += vector) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
      }
    }
    _mm_sfence();
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace ringmark
