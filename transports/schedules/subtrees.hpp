// The binomial tree over ranks numbered starting at its root: its edges, and the ranks whose data pass through a rank.
// Gather, scatter and the schedules built from them move ranges of chunks along its edges.
#pragma once

#include <algorithm>
#include <bit>

namespace ringmark {

struct Subtrees {
  int ranks;

  int depth() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))); }

  /// The end of the ranks [me, end) in the subtree of `me`.
  int end_of(int me) const { return me == 0 ? ranks : std::min(me + (me & -me), ranks); }

  /// The edge of `me` at a level: its child's subtree has up to 2^level ranks and begins at `child`.
  struct Edge {
    int parent = -1, child = -1;
    explicit operator bool() const { return child >= 0; }
  };
  Edge edge(int me, int level) const {
    const int distance = 1 << level;
    if (me % distance != 0) return {};
    const int child = me | distance;
    return child < ranks ? Edge{child - distance, child} : Edge{};
  }
};

}  // namespace ringmark
