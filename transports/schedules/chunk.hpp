// How a schedule's chunks lie in the vector of an operation.
#pragma once

#include <algorithm>
#include <cstddef>

namespace ringmark {

/// A run of elements.
struct Extent {
  std::size_t offset;
  std::size_t length;
};

/// Chunk `index` of `elements` cut into `chunks` parts. Their lengths differ by at most one; the longer ones come
/// first. If `elements` is a multiple of `chunks`, all are equal blocks.
constexpr Extent chunk_of(std::size_t elements, int chunks, int index) {
  const auto n = static_cast<std::size_t>(chunks);
  const auto i = static_cast<std::size_t>(index);
  const std::size_t shortest = elements / n;
  const std::size_t longer = elements % n;
  return {i * shortest + std::min(i, longer), shortest + (i < longer ? 1 : 0)};
}

}  // namespace ringmark
