#include "transports/schedules/two_level.hpp"

#include <algorithm>

#include "transports/schedules/ring.hpp"

namespace ringmark {
namespace {

class TwoLevel final : public Schedule {
 public:
  explicit TwoLevel(const Topology& topology) : topology_(topology), width_(topology.smallest_node()) {
    for (int node = 0; node < nodes(); ++node) {
      largest_node_ = std::max(largest_node_, static_cast<int>(topology_.members(node).size()));
    }
  }

  std::string_view algorithm() const override { return "two_level"; }
  int ranks() const override { return topology_.ranks(); }
  /// Part l of the vector is the chunks [l * nodes, (l + 1) * nodes), one for each node in the ring.
  int chunks() const override { return width_ * nodes(); }
  int steps() const override { return 2 * local_steps() + 2 * (nodes() - 1); }
  int symmetry_class(int rank) const override {
    // If nodes differ in size, the class depends on the member's position and its node's size.
    const int members = static_cast<int>(topology_.members(topology_.node_of(rank)).size());
    return members == largest_node_ && width_ == largest_node_ ? 0 : members * ranks() + topology_.local_rank(rank);
  }

  void append(int rank, int step, Step& out) const override {
    if (step < local_steps()) {
      append_local(rank, step + 1, true, out);
    } else if (const int ring_step = step - local_steps(); ring_step < 2 * (nodes() - 1)) {
      append_ring(rank, ring_step, out);
    } else {
      append_local(rank, ring_step - 2 * (nodes() - 1) + 1, false, out);
    }
  }

 private:
  int nodes() const { return topology_.node_count(); }
  int local_steps() const { return largest_node_ - 1; }

  /// Exchanges parts with the members `shift` positions ahead and behind. Only the first `width_` members of a node own
  /// a part.
  void append_local(int rank, int shift, bool reduces, Step& out) const {
    const auto& members = topology_.members(topology_.node_of(rank));
    const int size = static_cast<int>(members.size());
    if (shift >= size) return;
    const int me = topology_.local_rank(rank);
    const int ahead = (me + shift) % size;
    const int behind = (me - shift + size) % size;
    const int peer_ahead = members[static_cast<std::size_t>(ahead)];
    const int peer_behind = members[static_cast<std::size_t>(behind)];
    if (reduces) {
      const bool completes = nodes() == 1 && shift == size - 1;
      if (ahead < width_) out.send(peer_ahead, ahead * nodes(), (ahead + 1) * nodes());
      if (me < width_) {
        out.receive(peer_behind, me * nodes(), (me + 1) * nodes(), completes ? Combine::reduce_last : Combine::reduce);
      }
    } else {
      if (me < width_) out.send(peer_ahead, me * nodes(), (me + 1) * nodes());
      if (behind < width_) out.receive(peer_behind, behind * nodes(), (behind + 1) * nodes(), Combine::copy);
    }
  }

  void append_ring(int rank, int step, Step& out) const {
    const int part = topology_.local_rank(rank);
    if (part >= width_) return;
    const int n = nodes();
    const int node = topology_.node_of(rank);
    const int previous = (node + n - 1) % n;
    const bool reduces = step < n - 1;
    const auto chunk_of = [&](int sender) {
      return part * n + (reduces ? ring_reduce_chunk(sender, step, n) : ring_gather_chunk(sender, step - (n - 1), n));
    };
    const auto combine = !reduces ? Combine::copy : step == n - 2 ? Combine::reduce_last : Combine::reduce;
    const auto member = [&](int of_node) { return topology_.members(of_node)[static_cast<std::size_t>(part)]; };
    out.sends.push_back({member((node + 1) % n), chunk_of(node)});
    out.receives.push_back({member(previous), chunk_of(previous), combine});
  }

  Topology topology_;
  int width_;
  int largest_node_ = 0;
};

}  // namespace

std::unique_ptr<Schedule> two_level_all_reduce(const Topology& topology) {
  return std::make_unique<TwoLevel>(topology);
}

}  // namespace ringmark
