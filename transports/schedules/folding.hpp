// Folding lets an algorithm for a power of two serve any number of ranks. With n = p + extra ranks, p a power of two,
// the first 2*extra ranks form pairs. The odd rank of a pair sends its data to the even one before the algorithm and
// receives the result after it. The remaining p ranks are the virtual ranks. Thakur, Rabenseifner and Gropp, IJHPCA
// 2005, section 4.
#pragma once

#include <bit>

#include "transports/schedules/schedule.hpp"

namespace ringmark {

struct Folding {
  explicit Folding(int ranks_in)
      : ranks(ranks_in),
        virtual_ranks(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks_in)))),
        extra(ranks - virtual_ranks) {}

  int ranks;
  int virtual_ranks;
  int extra;

  /// Rounds of exchange between the virtual ranks.
  int rounds() const { return std::countr_zero(static_cast<unsigned>(virtual_ranks)); }
  /// Steps before the rounds, and again after them: 1 if any rank is folded, otherwise 0.
  int fold_steps() const { return extra > 0 ? 1 : 0; }

  bool is_folded(int rank) const { return rank < 2 * extra && rank % 2 == 1; }
  bool has_partner(int rank) const { return rank < 2 * extra; }
  int partner(int rank) const { return rank ^ 1; }

  int virtual_of(int rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  int rank_of(int virtual_rank) const { return virtual_rank < extra ? 2 * virtual_rank : virtual_rank + extra; }

  /// For vectors with one block per rank: the first block that a virtual rank owns (its own, then its folded
  /// partner's). For `virtual_ranks`: the end of all blocks.
  int first_block(int virtual_rank) const { return virtual_rank == virtual_ranks ? ranks : rank_of(virtual_rank); }
  /// For vectors with one block per rank: the virtual ranks' shares differ in size if some stand for a pair.
  int block_symmetry_class(int rank) const { return extra == 0 ? 0 : rank; }

  /// Appends the step before or after the rounds of a rank with a partner, if that step moves the whole vector.
  void append_whole(int rank, bool before, int chunks, Step& out) const {
    if (before == is_folded(rank)) {
      out.send(partner(rank), 0, chunks);
    } else {
      out.receive(partner(rank), 0, chunks, before ? Combine::reduce : Combine::copy);
    }
  }

  /// Folded, paired and other ranks are the three classes.
  int symmetry_class(int rank) const { return is_folded(rank) ? 2 : has_partner(rank) ? 1 : 0; }
};

}  // namespace ringmark
