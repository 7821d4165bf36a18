// The hosts under test, the measured pairs, and the parts of the fabric that a pair's bytes pass.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringmark::accept {

/// Hosts behind the same switch.
struct Leaf {
  std::string name;
  std::vector<std::size_t> hosts;
};

struct Fabric {
  std::vector<std::string> hosts;
  std::vector<Leaf> leaves;  ///< empty if the topology is unknown
  std::size_t spines = 0;    ///< paths between two leaves, each connection takes one; 0 if unknown
  std::size_t rails = 1;     ///< NICs per host; each is a separate end of links

  /// Ends are numbered host by host.
  std::size_t host_of(std::size_t end) const { return end / rails; }
  std::size_t rail_of(std::size_t end) const { return end % rails; }
  /// "node7", with several rails "rail 2 of node7".
  std::string name_of(std::size_t end) const;
  /// The index of the host's leaf; empty if unknown.
  std::optional<std::size_t> leaf_of_end(std::size_t end) const { return leaf_of_host(host_of(end)); }
  std::optional<std::size_t> leaf_of_host(std::size_t host) const;
};

/// A rate from one end to another; 0 if nothing passed.
struct PairRate {
  std::size_t from, to;
  double GBps;
};

/// All pairs, measured once: the result of one launch.
using Round = std::vector<PairRate>;

enum class PartKind {
  host,     ///< both directions of a host
  sending,  ///< all that a host sends
  receiving,
  leaf,        ///< all between a leaf's hosts and the others
  leaf_sends,  ///< one direction of it
  leaf_receives,
  nic,          ///< one rail of a host
  rail,         ///< all between the hosts' NICs of one rail
  between,      ///< all between leaves
  some_uplink,  ///< one of a leaf's uplinks, which some connections take
  some_spine,   ///< one of the spines
  link,         ///< from one end to another
};

struct Part {
  PartKind kind;
  std::string name;                   ///< "host-2", "sending of host-2", "host-0 to host-3"
  std::vector<std::size_t> hosts;     ///< to drain; empty for a leaf
  std::vector<std::size_t> pairs;     ///< indices into the pairs of the round
  std::optional<std::size_t> leaf{};  ///< whose uplinks these are, if they belong to one leaf
};

/// All parts with at least two pairs, then each single link. A measurement of a single host is a link from that host to
/// itself.
std::vector<Part> parts_of(const Fabric& fabric, const Round& pairs);

/// True if more than half of `some` are in `all`. Both are the pairs of a part, in order.
bool share_most(const std::vector<std::size_t>& all, const std::vector<std::size_t>& some);

}  // namespace ringmark::accept
