#include "transports/schedules/gather_scatter.hpp"

#include "transports/schedules/subtrees.hpp"

namespace ringmark {
namespace {

class Linear final : public Schedule {
 public:
  Linear(int ranks, int root, bool gathers) : ranks_(ranks), root_(root), gathers_(gathers) {}

  std::string_view algorithm() const override { return "linear"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return ranks_ - 1; }
  /// The root only sends, or only receives: each further message counts as half a step. Measured on 4 ranks of a host:
  /// 0.2 to 0.45 of a step (docs/method/algorithm-choice.md).
  double latency_steps() const override { return ranks_ < 3 ? ranks_ - 1 : ranks_ / 2.0; }
  int symmetry_class(int rank) const override { return rank; }

  void append(int rank, int step, Step& out) const override {
    const int other = (root_ + step + 1) % ranks_;
    if (rank != root_ && rank != other) return;
    const bool sends = (rank == root_) != gathers_;
    const int peer = rank == root_ ? other : root_;
    if (sends)
      out.sends.push_back({peer, other});
    else
      out.receives.push_back({peer, other, Combine::copy});
  }

 private:
  int ranks_, root_;
  bool gathers_;
};

class BinomialBlocks final : public Schedule {
 public:
  BinomialBlocks(int ranks, int root, bool gathers) : tree_{ranks}, root_(root), gathers_(gathers) {}

  std::string_view algorithm() const override { return "binomial_tree"; }
  int ranks() const override { return tree_.ranks; }
  int chunks() const override { return tree_.ranks; }
  int steps() const override { return tree_.depth(); }
  int symmetry_class(int rank) const override { return rank; }

  void append(int rank, int step, Step& out) const override {
    const int me = (rank - root_ + ranks()) % ranks();
    const auto edge = tree_.edge(me, gathers_ ? step : steps() - 1 - step);
    if (!edge) return;
    const bool sends = (me == edge.child) == gathers_;
    const int peer = real(me == edge.child ? edge.parent : edge.child);
    for (int block = edge.child; block < tree_.end_of(edge.child); ++block) {
      if (sends)
        out.sends.push_back({peer, real(block)});
      else
        out.receives.push_back({peer, real(block), Combine::copy});
    }
  }

 private:
  int real(int number) const { return (number + root_) % ranks(); }

  Subtrees tree_;
  int root_;
  bool gathers_;
};

}  // namespace

std::unique_ptr<Schedule> linear_gather(int ranks, int root) { return std::make_unique<Linear>(ranks, root, true); }
std::unique_ptr<Schedule> linear_scatter(int ranks, int root) { return std::make_unique<Linear>(ranks, root, false); }
std::unique_ptr<Schedule> binomial_gather(int ranks, int root) {
  return std::make_unique<BinomialBlocks>(ranks, root, true);
}
std::unique_ptr<Schedule> binomial_scatter(int ranks, int root) {
  return std::make_unique<BinomialBlocks>(ranks, root, false);
}

}  // namespace ringmark
