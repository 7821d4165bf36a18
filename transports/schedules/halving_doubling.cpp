#include "transports/schedules/halving_doubling.hpp"

#include "transports/schedules/folding.hpp"

namespace ringmark {
namespace {

/// The virtual ranks [first, first + width) whose results a virtual rank still helps to reduce after some rounds.
struct Share {
  int first, width;
};
Share share_after(int virtual_rank, int rounds, int virtual_ranks) {
  const int width = virtual_ranks >> rounds;
  return {virtual_rank & -width, width};
}

class HalvingDoublingAllReduce final : public Schedule {
 public:
  explicit HalvingDoublingAllReduce(int ranks) : fold_(ranks) {}

  std::string_view algorithm() const override { return "halving_doubling"; }
  int ranks() const override { return fold_.ranks; }
  int chunks() const override { return fold_.virtual_ranks; }
  int steps() const override { return 2 * fold_.rounds() + 2 * fold_.fold_steps(); }
  int symmetry_class(int rank) const override { return fold_.symmetry_class(rank); }

  void append(int rank, int step, Step& out) const override {
    const int round = step - fold_.fold_steps();
    if (round < 0 || round >= 2 * fold_.rounds()) {
      if (fold_.has_partner(rank)) fold_.append_whole(rank, round < 0, chunks(), out);
    } else if (!fold_.is_folded(rank)) {
      const bool halves = round < fold_.rounds();
      append_round(rank, halves ? round : 2 * fold_.rounds() - 1 - round, halves, out);
    }
  }

 private:
  /// Round k of halving; doubling undoes the rounds from the last to the first.
  void append_round(int rank, int round, bool halves, Step& out) const {
    const int me = fold_.virtual_of(rank);
    const int partner = me ^ (fold_.virtual_ranks >> (round + 1));
    const auto mine = share_after(me, round + 1, fold_.virtual_ranks);
    const auto theirs = share_after(partner, round + 1, fold_.virtual_ranks);
    const int peer = fold_.rank_of(partner);
    if (halves) {
      const auto combine = round == fold_.rounds() - 1 ? Combine::reduce_last : Combine::reduce;
      out.send(peer, theirs.first, theirs.first + theirs.width);
      out.receive(peer, mine.first, mine.first + mine.width, combine);
    } else {
      out.send(peer, mine.first, mine.first + mine.width);
      out.receive(peer, theirs.first, theirs.first + theirs.width, Combine::copy);
    }
  }

  Folding fold_;
};

class RecursiveHalvingReduceScatter final : public Schedule {
 public:
  explicit RecursiveHalvingReduceScatter(int ranks) : fold_(ranks) {}

  std::string_view algorithm() const override { return "recursive_halving"; }
  int ranks() const override { return fold_.ranks; }
  int chunks() const override { return fold_.ranks; }
  int steps() const override { return fold_.rounds() + 2 * fold_.fold_steps(); }
  int symmetry_class(int rank) const override { return fold_.block_symmetry_class(rank); }

  void append(int rank, int step, Step& out) const override {
    const int round = step - fold_.fold_steps();
    if (round < 0 || round >= fold_.rounds()) {
      append_fold(rank, round < 0, out);
    } else if (!fold_.is_folded(rank)) {
      const int me = fold_.virtual_of(rank);
      const int partner = me ^ (fold_.virtual_ranks >> (round + 1));
      const auto mine = share_after(me, round + 1, fold_.virtual_ranks);
      const auto theirs = share_after(partner, round + 1, fold_.virtual_ranks);
      const int peer = fold_.rank_of(partner);
      const auto combine = round == fold_.rounds() - 1 ? Combine::reduce_last : Combine::reduce;
      out.send(peer, fold_.first_block(theirs.first), fold_.first_block(theirs.first + theirs.width));
      out.receive(peer, fold_.first_block(mine.first), fold_.first_block(mine.first + mine.width), combine);
    }
  }

 private:
  void append_fold(int rank, bool before, Step& out) const {
    if (!fold_.has_partner(rank)) return;
    const int partner = fold_.partner(rank);
    const int odd = rank | 1;
    const int first = before ? 0 : odd;
    const int last = before ? fold_.ranks : odd + 1;
    if (before == fold_.is_folded(rank)) {
      out.send(partner, first, last);
    } else {
      out.receive(partner, first, last, before ? Combine::reduce : Combine::copy);
    }
  }

  Folding fold_;
};

}  // namespace

std::unique_ptr<Schedule> halving_doubling_all_reduce(int ranks) {
  return std::make_unique<HalvingDoublingAllReduce>(ranks);
}
std::unique_ptr<Schedule> recursive_halving_reduce_scatter(int ranks) {
  return std::make_unique<RecursiveHalvingReduceScatter>(ranks);
}

}  // namespace ringmark
