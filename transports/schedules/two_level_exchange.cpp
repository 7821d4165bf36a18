#include "transports/schedules/two_level_exchange.hpp"

#include <algorithm>

#include "transports/schedules/pairwise.hpp"

namespace ringmark {
namespace {

/// Chunk d is the block that travels d ranks, so a rank must never hold two blocks that travel the same distance.
class TwoLevelExchange final : public Schedule {
 public:
  explicit TwoLevelExchange(const Topology& topology)
      : topology_(topology),
        width_(topology.smallest_node()),
        direct_(spread_all_to_all(topology.ranks())),
        is_regular_(width_ * nodes() == ranks() && holds_each_distance_once()) {}

  std::string_view algorithm() const override { return "two_level"; }
  int ranks() const override { return topology_.ranks(); }
  int chunks() const override { return ranks(); }
  int steps() const override { return is_regular_ ? local_steps() + nodes() - 1 : direct_->steps(); }
  int symmetry_class(int) const override { return 0; }
  bool relays() const override { return is_regular_; }

  int origin(int rank, int step, int chunk) const override {
    if (!is_regular_ || step < local_steps()) return rank;
    return (destination(rank, step) - chunk + ranks()) % ranks();
  }

  void append(int rank, int step, Step& out) const override {
    if (!is_regular_) return direct_->append(rank, step, out);
    if (step < local_steps()) {
      const int to = member(node(rank), place(rank) + step + 1), from = member(node(rank), place(rank) - step - 1);
      for (int on = 0; on < nodes(); ++on) {
        out.sends.push_back({to, distance(rank, member(on, place(to)))});
        out.receives.push_back({from, distance(from, member(on, place(rank))), Combine::copy});
      }
      return;
    }
    const int to = destination(rank, step), away = step - local_steps() + 1;
    const int from = member((node(rank) - away + nodes()) % nodes(), place(rank));
    for (int at = 0; at < width_; ++at) {
      out.sends.push_back({to, distance(member(node(rank), at), to)});
      out.receives.push_back({from, distance(member(node(from), at), rank), Combine::copy});
    }
  }

 private:
  int nodes() const { return topology_.node_count(); }
  int node(int rank) const { return topology_.node_of(rank); }
  int place(int rank) const { return topology_.local_rank(rank); }
  int local_steps() const { return width_ - 1; }
  int distance(int from, int to) const { return (to - from + ranks()) % ranks(); }
  int member(int on, int at) const { return topology_.members(on)[static_cast<std::size_t>((at + width_) % width_)]; }
  /// The rank on another node to which `rank` sends.
  int destination(int rank, int step) const {
    return member((node(rank) + step - local_steps() + 1) % nodes(), place(rank));
  }

  /// True if in each step a rank receives blocks with the same distances as those it sends.
  bool holds_each_distance_once() const {
    for (int rank = 0; rank < ranks(); ++rank) {
      for (int shift = 1; shift < width_; ++shift) {
        const int to = member(node(rank), place(rank) + shift), from = member(node(rank), place(rank) - shift);
        std::vector<int> sent, received;
        for (int on = 0; on < nodes(); ++on) {
          sent.push_back(distance(rank, member(on, place(to))));
          received.push_back(distance(from, member(on, place(rank))));
        }
        if (!same(sent, received)) return false;
      }
      for (int away = 1; away < nodes(); ++away) {
        const int to = member((node(rank) + away) % nodes(), place(rank));
        const int from = (node(rank) - away + nodes()) % nodes();
        std::vector<int> sent, received;
        for (int at = 0; at < width_; ++at) {
          sent.push_back(distance(member(node(rank), at), to));
          received.push_back(distance(member(from, at), rank));
        }
        if (!same(sent, received)) return false;
      }
    }
    return true;
  }
  static bool same(std::vector<int>& one, std::vector<int>& other) {
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    return one == other;
  }

  Topology topology_;
  int width_;
  std::unique_ptr<Schedule> direct_;
  bool is_regular_;
};

}  // namespace

std::unique_ptr<Schedule> two_level_all_to_all(const Topology& topology) {
  return std::make_unique<TwoLevelExchange>(topology);
}

}  // namespace ringmark
