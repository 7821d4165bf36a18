// How many elements each block of an operation has, where blocks are unequal: a value that all ranks share.
//
// An all_to_all has a block for each pair of ranks; an all_gather and a reduce_scatter have one per rank. In a buffer,
// blocks follow one another in rank order.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "base/extent.hpp"

namespace ringmark {

class BlockCounts {
 public:
  /// Limit for all blocks together, so that their size in bytes fits std::size_t even for the widest type.
  static constexpr std::size_t most_elements = std::numeric_limits<std::size_t>::max() / 64;

  /// `elements[from * ranks + to]` go from one rank to another. Throws std::overflow_error if there are too many to
  /// count.
  static std::shared_ptr<const BlockCounts> of_pairs(int ranks, const std::vector<std::size_t>& elements);
  /// One block per rank.
  static std::shared_ptr<const BlockCounts> of_ranks(const std::vector<std::size_t>& elements);

  int ranks() const { return ranks_; }
  bool is_of_pairs() const { return !received_.empty(); }
  std::size_t total() const { return total_; }
  std::size_t longest() const { return longest_; }
  /// Elements that the busiest rank must send to others, or receive from them, whatever the algorithm.
  std::size_t bound() const { return bound_; }

  /// The block of `rank` in the whole vector, with one block per rank.
  Extent block(int rank) const { return at(sent_, 0, rank); }
  /// With one block per pair: the blocks in `rank`'s send buffer, and those in its receive buffer.
  Extent sent(int rank, int to) const { return at(sent_, rank, to); }
  Extent received(int rank, int from) const { return at(received_, rank, from); }
  /// With one block per pair: the length of a rank's whole buffer.
  std::size_t sent_by(int rank) const { return sent_[start(rank + 1) - 1]; }
  std::size_t received_by(int rank) const { return received_[start(rank + 1) - 1]; }

 private:
  BlockCounts(int ranks, std::size_t total) : ranks_(ranks), total_(total) {}

  std::size_t start(int row) const { return static_cast<std::size_t>(row) * (static_cast<std::size_t>(ranks_) + 1); }
  Extent at(const std::vector<std::size_t>& offsets, int row, int column) const {
    const std::size_t i = start(row) + static_cast<std::size_t>(column);
    return {offsets[i], offsets[i + 1] - offsets[i]};
  }

  int ranks_;
  std::size_t total_, longest_ = 0, bound_ = 0;
  // For each buffer, the offsets of its blocks and its length.
  std::vector<std::size_t> sent_, received_;
};

}  // namespace ringmark
