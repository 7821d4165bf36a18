#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "replay/predict/network.hpp"

namespace ringmark::replay {
namespace {

/// How a protocol changes the links' values: factors relative to Simple on a ring.
struct Protocol {
  double alpha_within, alpha_between, rate, launch;
  enum class Kind { LL, LL128, simple } kind = Kind::simple;
};
/// Ratios of the constants in NCCL 2.28's own tuning model (src/graph/tuning.cc), on NVLink and a network. Between
/// nodes LL128 counts only with Links::has_LL128_between: measured steps of up to 1,024 GPUs take as long as with
/// Simple.
constexpr std::array ring_protocols{Protocol{0.18, 0.19, 0.5, 0.79, Protocol::Kind::LL},
                                    Protocol{0.56, 0.29, 0.92, 1.67, Protocol::Kind::LL128}, Protocol{1, 1, 1, 1}};
constexpr std::array tree_protocols{Protocol{0.18, 0.36, 0.24, 0.81, Protocol::Kind::LL},
                                    Protocol{0.37, 0.61, 0.86, 1.67, Protocol::Kind::LL128},
                                    Protocol{1.18, 1, 0.92, 1}};
/// PAT runs only where every node has a single rank of the group.
constexpr Protocol pat_protocol{1, 1, 0.75, 1};
/// Limits of LL's bandwidth, however fast the links: in one node, on two nodes, and on more.
constexpr std::array most_LL_GBps{141.0, 45.0, 35.0};

/// NCCL uses LL128 where nodes have NVLink. Links faster than this, PCIe 5.0 x16, are taken to be NVLink.
constexpr double PCIe_GBps = 64;

/// The ranks of a group and their links.
struct Shape {
  int ranks, nodes;
  Link within, between;  ///< of a rank, and of all ranks of the group in a node

  bool is_within() const { return nodes == 1; }
  /// Time of the steps of one pass: along all ranks for a ring; along the tree of nodes and the ranks of a node for a
  /// tree.
  double ring_us(const Protocol& by) const {
    return (ranks - nodes) * within.alpha_us * by.alpha_within + (nodes - 1) * between.alpha_us * by.alpha_between;
  }
  double tree_us(const Protocol& by) const {
    const double levels = std::ceil(std::log2(nodes)), in_node = std::ceil(double(ranks) / nodes) - 1;
    return in_node * within.alpha_us * by.alpha_within + levels * between.alpha_us * by.alpha_between;
  }
  /// Time for the bytes that cross each link between nodes and each link within one, whichever takes longer.
  double bytes_us(double outer_bytes, double inner_bytes, const Protocol& by) const {
    const double limit_GBps =
        by.kind == Protocol::Kind::LL ? most_LL_GBps[static_cast<std::size_t>(std::min(nodes, 3)) - 1] : unlimited_GBps;
    const auto us = [&](double bytes, double GBps) { return bytes / (std::min(GBps * by.rate, limit_GBps) * 1e3); };
    return std::max(nodes > 1 ? us(outer_bytes, between.GBps) : 0, ranks > nodes ? us(inner_bytes, within.GBps) : 0);
  }
};

class NcclNetwork final : public Network {
 public:
  explicit NcclNetwork(const Links& links) : links_(links) {}

  CollectiveTime time(const Event& event, const Group& group, int ranks) override {
    const int size = group.size(ranks);
    if (size < 2) return {};
    const auto bytes = static_cast<double>(largest_buffer_bytes(operation_of(event, size), size));
    const auto shape = shape_of(group, ranks);
    auto time = time_of(event.collective, shape, bytes);
    time.is_between_hosts = !shape.is_within();
    return time;
  }

  double burst_us() const override { return links_.burst_bytes / (links_.between.GBps * 1e3); }

  std::vector<std::string> assumptions() const override {
    std::vector<std::string> lines;
    lines.push_back(links_.within
                        ? fmt::format("network: {} per node of {} ranks, all its adapters together, each way; {} per "
                                      "rank within it, each way; {}",
                                      in_words(links_.between), links_.ranks_per_node, in_words(*links_.within),
                                      links_.source)
                        : fmt::format("network: {} per rank, each way, {}", in_words(links_.between), links_.source));
    if (links_.launch_us > 0)
      lines.push_back(fmt::format("{:.3g} us per collective in addition to its steps", links_.launch_us));
    lines.emplace_back(
        "NCCL's algorithms: rings, for all_reduce also trees, and PAT between nodes with one rank each; with these "
        "values the Simple protocol, or LL with a fifth of the time per step and half the bandwidth, at most 35 GB/s");
    if (links_.burst_bytes > 0) lines.push_back(burst_assumption(links_.burst_bytes, "as given"));
    lines.emplace_back("no contention with other traffic, no reduction in switches (NVLS, SHARP)");
    return lines;
  }

 private:
  Shape shape_of(const Group& group, int ranks) const {
    const int size = group.size(ranks), per_node = links_.within ? links_.ranks_per_node : 1;
    const auto within = links_.within.value_or(links_.between);
    if (group.kind == Group::Kind::stride) {
      // All groups of this kind run at the same time and share their node's link.
      const int sharers = std::min(per_node, group.width), members = std::max(1, per_node / group.width);
      return {size, nodes_of(size, members), within, {links_.between.alpha_us, links_.between.GBps / sharers}};
    }
    return {size, nodes_of(size, per_node), within, links_.between};
  }
  static int nodes_of(int ranks, int per_node) { return (ranks + per_node - 1) / per_node; }

  CollectiveTime time_of(Collective collective, const Shape& shape, double bytes) const {
    const double others = double(shape.ranks - 1) / shape.ranks;
    switch (collective) {
      case Collective::all_reduce:
        return faster(by_ring(shape, 2, 2 * others * bytes), by_tree(shape, bytes));
      case Collective::all_gather:
      case Collective::reduce_scatter: {
        const auto ring = by_ring(shape, 1, others * bytes);
        return shape.ranks == shape.nodes ? faster(ring, by_pat(shape, others * bytes)) : ring;
      }
      case Collective::broadcast:
      case Collective::reduce:
        return by_ring(shape, 1, bytes);
      case Collective::send_recv:
        return message(shape.is_within() ? shape.within : shape.between, bytes);
      case Collective::gather:
      case Collective::scatter:
        return direct(shape, bytes, 1);
      case Collective::all_to_all:
        return direct(shape, bytes, double(shape.ranks) / shape.nodes);
    }
    return {};
  }

  bool takes_ll128(const Shape& shape) const {
    return (shape.is_within() || links_.has_LL128_between) && shape.within.GBps > PCIe_GBps;
  }

  static CollectiveTime faster(const CollectiveTime& a, const CollectiveTime& b) {
    return a.total_us <= b.total_us ? a : b;
  }

  /// The time with the fastest protocol; `steps_us` and `bytes_us` are functions of the protocol.
  CollectiveTime by_fastest(const std::array<Protocol, 3>& protocols, const Shape& shape, const auto& steps_us,
                            const auto& bytes_us) const {
    CollectiveTime best{.total_us = std::numeric_limits<double>::infinity()};
    for (const auto& by : protocols) {
      if (by.kind == Protocol::Kind::LL128 && !takes_ll128(shape)) continue;
      const double us = bytes_us(by);
      best = faster(best, {by.launch * links_.launch_us + steps_us(by) + us, us});
    }
    return best;
  }

  CollectiveTime by_ring(const Shape& shape, int passes, double bytes) const {
    return by_fastest(
        ring_protocols, shape, [&](const Protocol& by) { return passes * shape.ring_us(by); },
        [&](const Protocol& by) { return shape.bytes_us(bytes, bytes, by); });
  }
  /// Up and down a double binary tree (Sanders, Speck and Träff 2009), in which each node is a leaf of one tree.
  CollectiveTime by_tree(const Shape& shape, double bytes) const {
    constexpr std::array outer_shares{0.0, 1.0, 1.5, 2.0};
    const double outer_share = outer_shares[static_cast<std::size_t>(std::min(shape.nodes, 4)) - 1], inner_share = 2;
    return by_fastest(
        tree_protocols, shape, [&](const Protocol& by) { return 2 * shape.tree_us(by); },
        [&](const Protocol& by) { return shape.bytes_us(outer_share * bytes, inner_share * bytes, by); });
  }
  CollectiveTime by_pat(const Shape& shape, double bytes) const {
    const double bytes_us = shape.bytes_us(bytes, bytes, pat_protocol);
    return {links_.launch_us + std::ceil(std::log2(shape.nodes)) * shape.between.alpha_us + bytes_us, bytes_us};
  }

  CollectiveTime message(const Link& link, double bytes) const {
    const double bytes_us = bytes / (link.GBps * 1e3);
    return {links_.launch_us + link.alpha_us + bytes_us, bytes_us};
  }
  /// Messages between a rank and all others, while `senders` ranks of its node do the same. Messages within and between
  /// nodes overlap.
  CollectiveTime direct(const Shape& shape, double bytes, double senders) const {
    const double in_node = double(shape.ranks) / shape.nodes, part = bytes / shape.ranks;
    const double inner_us = (in_node - 1) * part / (shape.within.GBps * 1e3);
    const double outer_us = (shape.ranks - in_node) * part * senders / (shape.between.GBps * 1e3);
    const double steps_us =
        links_.launch_us + (in_node - 1) * shape.within.alpha_us + (shape.ranks - in_node) * shape.between.alpha_us;
    return {steps_us + std::max(inner_us, outer_us), std::max(inner_us, outer_us)};
  }

  Links links_;
};

}  // namespace

std::unique_ptr<Network> make_nccl_network(const Links& links) { return std::make_unique<NcclNetwork>(links); }

}  // namespace ringmark::replay
