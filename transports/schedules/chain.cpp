#include "transports/schedules/chain.hpp"

namespace ringmark {
namespace {

class Chain final : public Schedule {
 public:
  Chain(int ranks, int root, bool reduces) : ranks_(ranks), root_(root), reduces_(reduces) {}

  std::string_view algorithm() const override { return "chain"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return 1; }
  int steps() const override { return ranks_ - 1; }
  int symmetry_class(int rank) const override { return rank; }
  bool overlaps_steps() const override { return true; }

  void append(int rank, int step, Step& out) const override {
    const int me = (rank - root_ + ranks_) % ranks_;
    const int sender = reduces_ ? ranks_ - 1 - step : step;
    const int receiver = reduces_ ? sender - 1 : sender + 1;
    const auto combine = !reduces_ ? Combine::copy : step == steps() - 1 ? Combine::reduce_last : Combine::reduce;
    if (me == sender) out.sends.push_back({(receiver + root_) % ranks_, 0});
    if (me == receiver) out.receives.push_back({(sender + root_) % ranks_, 0, combine});
  }

 private:
  int ranks_, root_;
  bool reduces_;
};

}  // namespace

std::unique_ptr<Schedule> chain_broadcast(int ranks, int root) { return std::make_unique<Chain>(ranks, root, false); }
std::unique_ptr<Schedule> chain_reduce(int ranks, int root) { return std::make_unique<Chain>(ranks, root, true); }

}  // namespace ringmark
