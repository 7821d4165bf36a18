#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "replay/predict/fit_prediction.hpp"
#include "replay/predict/network.hpp"
#include "transports/schedules/choice.hpp"

namespace ringmark::replay {
namespace {

double us_per_byte(const Link& link) { return 1e-3 / link.GBps; }

class LinkNetwork final : public Network {
 public:
  explicit LinkNetwork(const Links& links) : links_(links) {}

  CollectiveTime time(const Event& event, const Group& group, int ranks) override {
    const int size = group.size(ranks);
    if (size < 2) return {};
    const auto bytes = static_cast<double>(largest_buffer_bytes(operation_of(event, size), size));
    const auto total_us = [&](double size_bytes) { return time_us(event.collective, group, size, size_bytes); };
    // For zero bytes, a different schedule with fewer steps may be the cheapest: the difference then counts as bytes.
    const double whole_us = total_us(bytes);
    return {whole_us, std::max(0.0, whole_us - total_us(0))};
  }

  double burst_us() const override { return links_.burst_bytes * us_per_byte(links_.between); }

  std::vector<std::string> assumptions() const override {
    std::vector<std::string> lines;
    if (!links_.within) {
      lines.push_back(fmt::format("network: flat, as given: {} per rank, full duplex, also within nodes",
                                  in_words(links_.between)));
      lines.push_back("schedules: those that auto chooses between hosts on this link; all ranks arrive together");
    } else {
      lines.push_back(fmt::format("network: {} per node of {} ranks, {} per rank within it, as given",
                                  in_words(links_.between), links_.ranks_per_node, in_words(*links_.within)));
      lines.push_back(
          "Ringmark's schedules: one ring over all ranks for all_gather and reduce_scatter; for all_reduce the faster "
          "of a ring and two levels; two levels for others");
    }
    if (links_.burst_bytes > 0) lines.push_back(burst_assumption(links_.burst_bytes, "as given"));
    lines.emplace_back("no contention with other traffic, no protocol changes with size");
    return lines;
  }

 private:
  double time_us(Collective collective, const Group& group, int size, double bytes) {
    if (!links_.within || links_.ranks_per_node < 2) return flat_us(collective, bytes, size, links_.between);
    const int per_node = links_.ranks_per_node;
    if (group.kind == Group::Kind::block && group.width <= per_node)
      return flat_us(collective, bytes, size, *links_.within);
    if (group.kind == Group::Kind::stride) {
      // All groups of this kind run at the same time and share the node's link.
      const auto sharers = std::min(per_node, group.width);
      return flat_us(collective, bytes, size, {links_.between.alpha_us, links_.between.GBps / sharers});
    }
    return size <= per_node ? flat_us(collective, bytes, size, *links_.within)
                            : across_nodes_us(collective, bytes, size);
  }

  const AlgorithmChoice& choice(int ranks, const Link& link) {
    const std::tuple key{ranks, link.alpha_us, link.GBps};
    const auto known = choices_.find(key);
    if (known != choices_.end()) return known->second;
    const LinkCost cost{link.alpha_us, us_per_byte(link)};
    return choices_.try_emplace(key, Topology::flat(ranks), cost).first->second;
  }

  double flat_us(Collective collective, double bytes, int ranks, const Link& link) {
    const auto& choice = this->choice(ranks, link);
    const auto total_bytes = static_cast<std::size_t>(bytes);
    return choice.time_us(collective, choice.choose(collective, total_bytes), total_bytes);
  }

  double across_nodes_us(Collective collective, double bytes, int ranks) {
    const int per_node = links_.ranks_per_node, nodes = (ranks + per_node - 1) / per_node;
    const auto within = [&](Collective part, double size) { return flat_us(part, size, per_node, *links_.within); };
    // Each rank of a node sends its part of the vector, all at the same time over the node's link.
    const Link shared{links_.between.alpha_us, links_.between.GBps / per_node};
    const auto between = [&](double size) { return flat_us(collective, size / per_node, nodes, shared); };
    double two_level_us = 0;
    switch (collective) {
      case Collective::all_reduce:
        two_level_us =
            within(Collective::reduce_scatter, bytes) + between(bytes) + within(Collective::all_gather, bytes);
        break;
      case Collective::reduce_scatter:
      case Collective::all_gather:
        return ring_us(bytes, ranks, nodes);
      case Collective::gather:
      case Collective::scatter:
        return flat_us(collective, bytes, nodes, links_.between) + within(collective, bytes / nodes);
      case Collective::send_recv:
        return std::max(flat_us(collective, bytes, nodes, links_.between), within(collective, bytes));
      case Collective::reduce:
      case Collective::broadcast:
        return flat_us(collective, bytes, nodes, links_.between) + within(collective, bytes);
      case Collective::all_to_all: {
        const double others = nodes - 1, share = others / nodes;
        return within(collective, bytes / nodes) + per_node * others * shared.alpha_us +
               share * bytes * us_per_byte(shared);
      }
    }
    // Only one edge of the ring leaves each node, so it has the node's link to itself.
    const Link slowest{std::max(links_.between.alpha_us, links_.within->alpha_us),
                       std::min(links_.between.GBps, links_.within->GBps)};
    return std::min(two_level_us, choice(ranks, slowest).time_us(collective, "ring", static_cast<std::size_t>(bytes)));
  }

  /// One ring over all ranks: each step waits for its own link. Only one edge of the ring leaves each node, so it has
  /// the node's link to itself.
  double ring_us(double bytes, int ranks, int nodes) const {
    const double slowest_GBps = std::min(links_.between.GBps, links_.within->GBps);
    return (ranks - nodes) * links_.within->alpha_us + (nodes - 1) * links_.between.alpha_us +
           bytes * (ranks - 1) / ranks * us_per_byte({0, slowest_GBps});
  }

  Links links_;
  std::map<std::tuple<int, double, double>, AlgorithmChoice> choices_;  ///< by ranks and link
};

}  // namespace

std::string in_words(const Link& link) {
  return link.GBps >= unlimited_GBps ? fmt::format("{} us and unlimited bandwidth", link.alpha_us)
                                     : fmt::format("{:.4g} us and {:.6g} GB/s", link.alpha_us, link.GBps);
}

std::unique_ptr<Network> make_network(const Links& links) {
  if (links.transport == Transport::nccl) return make_nccl_network(links);
  return std::make_unique<LinkNetwork>(links);
}

}  // namespace ringmark::replay
