#include "transports/schedules/recursive_doubling.hpp"

#include "transports/schedules/folding.hpp"

namespace ringmark {
namespace {

class RecursiveDoublingAllReduce final : public Schedule {
 public:
  explicit RecursiveDoublingAllReduce(int ranks) : fold_(ranks) {}

  std::string_view algorithm() const override { return "recursive_doubling"; }
  int ranks() const override { return fold_.ranks; }
  int chunks() const override { return 1; }
  int steps() const override { return fold_.rounds() + 2 * fold_.fold_steps(); }
  int symmetry_class(int rank) const override { return fold_.symmetry_class(rank); }

  void append(int rank, int step, Step& out) const override {
    const int round = step - fold_.fold_steps();
    const bool exchanges = round >= 0 && round < fold_.rounds();
    if (exchanges && !fold_.is_folded(rank)) {
      const int peer = fold_.rank_of(fold_.virtual_of(rank) ^ (1 << round));
      out.sends.push_back({peer, 0});
      const auto combine = round == fold_.rounds() - 1 ? Combine::reduce_last : Combine::reduce;
      out.receives.push_back({peer, 0, combine});
    }
    if (!exchanges && fold_.has_partner(rank)) fold_.append_whole(rank, round < 0, chunks(), out);
  }

 private:
  Folding fold_;
};

class RecursiveDoublingAllGather final : public Schedule {
 public:
  explicit RecursiveDoublingAllGather(int ranks) : fold_(ranks) {}

  std::string_view algorithm() const override { return "recursive_doubling"; }
  int ranks() const override { return fold_.ranks; }
  int chunks() const override { return fold_.ranks; }
  int steps() const override { return fold_.rounds() + 2 * fold_.fold_steps(); }
  int symmetry_class(int rank) const override { return fold_.block_symmetry_class(rank); }

  void append(int rank, int step, Step& out) const override {
    const int round = step - fold_.fold_steps();
    if (round < 0 || round >= fold_.rounds()) {
      if (fold_.has_partner(rank)) append_fold(rank, round < 0, out);
      return;
    }
    if (fold_.is_folded(rank)) return;
    const int held = 1 << round;
    const int mine = fold_.virtual_of(rank) & -held;
    const int theirs = mine ^ held;
    const int peer = fold_.rank_of(fold_.virtual_of(rank) ^ held);
    out.send(peer, fold_.rank_of(mine), fold_.first_block(mine + held));
    out.receive(peer, fold_.rank_of(theirs), fold_.first_block(theirs + held), Combine::copy);
  }

 private:
  void append_fold(int rank, bool before, Step& out) const {
    const int partner = fold_.partner(rank);
    const int odd = rank | 1;
    if (before) {
      if (rank == odd)
        out.send(partner, odd, odd + 1);
      else
        out.receive(partner, odd, odd + 1, Combine::copy);
    } else if (rank == odd) {
      out.receive(partner, 0, odd, Combine::copy);
      out.receive(partner, odd + 1, fold_.ranks, Combine::copy);
    } else {
      out.send(partner, 0, odd);
      out.send(partner, odd + 1, fold_.ranks);
    }
  }

  Folding fold_;
};

}  // namespace

std::unique_ptr<Schedule> recursive_doubling_all_reduce(int ranks) {
  return std::make_unique<RecursiveDoublingAllReduce>(ranks);
}
std::unique_ptr<Schedule> recursive_doubling_all_gather(int ranks) {
  return std::make_unique<RecursiveDoublingAllGather>(ranks);
}

}  // namespace ringmark
