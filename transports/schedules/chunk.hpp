// How a schedule's chunks are laid out in the vector of an operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/operation.hpp"

namespace ringmark {

/// Chunk `index` of `elements` split into `chunks` parts. Their lengths differ by at most one; the longer ones come
/// first. If `elements` is a multiple of `chunks`, all are equal blocks.
constexpr Extent chunk_of(std::size_t elements, int chunks, int index) {
  const auto n = static_cast<std::size_t>(chunks);
  const auto i = static_cast<std::size_t>(index);
  const std::size_t shortest = elements / n;
  const std::size_t longer = elements % n;
  return {i * shortest + std::min(i, longer), shortest + (i < longer ? 1 : 0)};
}

/// How an operation's chunks, equal or not, are laid out in one rank's buffers. Lengths are the same on every rank.
class ChunkLayout {
 public:
  ChunkLayout() = default;
  ChunkLayout(const Operation& operation, int rank, int ranks, int chunks)
      : counts_(operation.counts), rank_(rank), ranks_(ranks), chunks_(chunks) {
    elements_ = vector_elements(operation, ranks);
    longest_ = counts_ ? counts_->longest() : chunk_of(elements_, chunks, 0).length;
    has_pairs_ = counts_ && counts_->is_of_pairs();
  }

  /// The length of a chunk that began at rank `origin`; only an all_to_all uses `origin`.
  std::size_t length(int origin, int chunk) const {
    if (!counts_) return chunk_of(elements_, chunks_, chunk).length;
    return has_pairs_ ? counts_->sent(origin, (origin + chunk) % ranks_).length : counts_->block(chunk).length;
  }
  std::size_t longest() const { return longest_; }

  /// A chunk's position in a buffer that contains all chunks, by its index there (input_index, output_index).
  Extent input(int index) const { return has_pairs_ ? counts_->sent(rank_, index) : same_everywhere(index); }
  Extent output(int index) const { return has_pairs_ ? counts_->received(rank_, index) : same_everywhere(index); }

 private:
  Extent same_everywhere(int index) const {
    return counts_ ? counts_->block(index) : chunk_of(elements_, chunks_, index);
  }

  std::shared_ptr<const BlockCounts> counts_;
  int rank_ = 0, ranks_ = 1, chunks_ = 1;
  std::size_t elements_ = 0, longest_ = 0;
  bool has_pairs_ = false;
};

}  // namespace ringmark
