#include "transports/schedules/two_phases.hpp"

#include "transports/schedules/ring.hpp"
#include "transports/schedules/subtrees.hpp"

namespace ringmark {
namespace {

class TwoPhases : public Schedule {
 public:
  TwoPhases(int ranks, int root) : tree_{ranks}, root_(root) {}

  int ranks() const override { return tree_.ranks; }
  int chunks() const override { return tree_.ranks; }
  int steps() const override { return tree_.depth() + ring_steps(); }
  int symmetry_class(int rank) const override { return rank; }
  bool overlaps_steps() const override { return true; }

 protected:
  int ring_steps() const { return ranks() - 1; }
  int number_of(int rank) const { return (rank - root_ + ranks()) % ranks(); }
  int rank_of(int number) const { return (number + root_ + ranks()) % ranks(); }

  /// Moves a subtree's parts along the edge at a level.
  void append_edge(int me, int level, bool upwards, Step& out) const {
    const auto edge = tree_.edge(me, level);
    if (!edge) return;
    const int peer = rank_of(me == edge.child ? edge.parent : edge.child);
    const int end = tree_.end_of(edge.child);
    if ((me == edge.child) == upwards)
      out.send(peer, edge.child, end);
    else
      out.receive(peer, edge.child, end, Combine::copy);
  }

  Subtrees tree_;

 private:
  int root_;
};

class ScatterAllGather final : public TwoPhases {
 public:
  using TwoPhases::TwoPhases;
  std::string_view algorithm() const override { return "scatter_all_gather"; }

  void append(int rank, int step, Step& out) const override {
    const int me = number_of(rank);
    if (step < tree_.depth()) return append_edge(me, tree_.depth() - 1 - step, false, out);
    const int ring_step = step - tree_.depth();
    const int part = ring_gather_chunk(me, ring_step, ranks());
    const int next = (me + 1) % ranks(), previous = (me + ranks() - 1) % ranks();
    const int arriving = ring_gather_chunk(previous, ring_step, ranks());
    if (!has_after_scatter(next, part)) out.sends.push_back({rank_of(next), part});
    if (!has_after_scatter(me, arriving)) out.receives.push_back({rank_of(previous), arriving, Combine::copy});
  }

 private:
  bool has_after_scatter(int me, int part) const { return part >= me && part < tree_.end_of(me); }
};

class ReduceScatterGather final : public TwoPhases {
 public:
  using TwoPhases::TwoPhases;
  std::string_view algorithm() const override { return "reduce_scatter_gather"; }

  void append(int rank, int step, Step& out) const override {
    const int me = number_of(rank);
    if (step >= ring_steps()) return append_edge(me, step - ring_steps(), true, out);
    const int next = (me + 1) % ranks(), previous = (me + ranks() - 1) % ranks();
    const auto combine = step == ring_steps() - 1 ? Combine::reduce_last : Combine::reduce;
    out.sends.push_back({rank_of(next), ring_reduce_chunk(me, step, ranks())});
    out.receives.push_back({rank_of(previous), ring_reduce_chunk(previous, step, ranks()), combine});
  }
};

}  // namespace

std::unique_ptr<Schedule> scatter_all_gather_broadcast(int ranks, int root) {
  return std::make_unique<ScatterAllGather>(ranks, root);
}
std::unique_ptr<Schedule> reduce_scatter_gather_reduce(int ranks, int root) {
  return std::make_unique<ReduceScatterGather>(ranks, root);
}

}  // namespace ringmark
