// The hosts under test, the pairs that were measured, and the parts of the fabric that a pair's bytes pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::accept {

/// Hosts behind one switch.
struct Leaf {
  std::string name;
  std::vector<std::size_t> hosts;
};

struct Fabric {
  std::vector<std::string> hosts;
  std::vector<Leaf> leaves;  ///< empty if the topology is not told
};

/// A rate from one host to another.
struct PairRate {
  std::size_t from, to;
  double GBps;
};

/// All pairs, measured once: what one launch says.
using Round = std::vector<PairRate>;

enum class PartKind {
  host,     ///< both directions of a host
  sending,  ///< all that a host sends
  receiving,
  leaf,        ///< all between a leaf's hosts and the others
  leaf_sends,  ///< one direction of it
  leaf_receives,
  link,  ///< from one host to another
};

struct Part {
  PartKind kind;
  std::string name;                ///< "host-2", "sending of host-2", "host-0 to host-3"
  std::vector<std::size_t> hosts;  ///< to drain; none for a leaf
  std::vector<std::size_t> pairs;  ///< indices into the pairs of the round
};

/// All parts with at least two pairs, then each link by itself.
std::vector<Part> parts_of(const Fabric& fabric, const Round& pairs);

}  // namespace ringmark::accept
