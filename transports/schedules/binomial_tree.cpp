#include "transports/schedules/binomial_tree.hpp"

#include <bit>

namespace ringmark {
namespace {

class BinomialTree final : public Schedule {
 public:
  BinomialTree(int ranks, int root, bool up, bool down) : ranks_(ranks), root_(root), up_(up), down_(down) {}

  std::string_view algorithm() const override { return "binomial_tree"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return 1; }
  int steps() const override { return depth() * (up_ + down_); }
  int symmetry_class(int rank) const override { return rank; }

  void append(int rank, int step, Step& out) const override {
    const bool upwards = up_ && step < depth();
    const int level = upwards ? step : steps() - 1 - step;
    const int me = (rank - root_ + ranks_) % ranks_;
    const int distance = 1 << level;
    if (me % distance != 0) return;
    const bool is_child = (me & distance) != 0;
    const int other = is_child ? me - distance : me + distance;
    if (other >= ranks_) return;
    const int peer = (other + root_) % ranks_;
    if (is_child == upwards) {
      out.sends.push_back({peer, 0});
    } else {
      const bool completes = me == 0 && level == depth() - 1;
      const auto combine = !upwards ? Combine::copy : completes ? Combine::reduce_last : Combine::reduce;
      out.receives.push_back({peer, 0, combine});
    }
  }

 private:
  int depth() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks_ - 1))); }

  int ranks_, root_;
  bool up_, down_;
};

}  // namespace

std::unique_ptr<Schedule> binomial_tree_all_reduce(int ranks) {
  return std::make_unique<BinomialTree>(ranks, 0, true, true);
}
std::unique_ptr<Schedule> binomial_tree_reduce(int ranks, int root) {
  return std::make_unique<BinomialTree>(ranks, root, true, false);
}
std::unique_ptr<Schedule> binomial_tree_broadcast(int ranks, int root) {
  return std::make_unique<BinomialTree>(ranks, root, false, true);
}

}  // namespace ringmark
