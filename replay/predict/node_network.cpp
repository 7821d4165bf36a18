#include <algorithm>

#include <fmt/format.h>

#include "replay/predict/network.hpp"

namespace ringmark::replay {
namespace {

class NodeNetwork final : public Network {
 public:
  NodeNetwork(std::unique_ptr<Network> between, const Link& within, int ranks_per_node)
      : between_(std::move(between)),
        within_(make_network(Links{.between = within, .within = {}})),
        link_(within),
        ranks_per_node_(ranks_per_node) {}

  CollectiveTime time(const Event& event, const Group& group, int ranks) override {
    const bool is_within = group.kind == Group::Kind::block
                               ? group.width <= ranks_per_node_
                               : group.kind == Group::Kind::world && ranks <= ranks_per_node_;
    if (!is_within) return shared(between_->time(event, group, ranks), group);
    auto time = within_->time(event, group, ranks);
    time.is_between_hosts = false;
    return time;
  }

  double burst_us() const override { return between_->burst_us(); }

  std::vector<std::string> assumptions() const override {
    auto lines = between_->assumptions();
    lines.push_back(fmt::format("within nodes of {} ranks: {} us and {} GB/s for each rank, as given", ranks_per_node_,
                                link_.alpha_us, link_.GBps));
    return lines;
  }

 private:
  /// Groups of every n-th rank run at the same time and share their node's link.
  CollectiveTime shared(CollectiveTime time, const Group& group) const {
    if (group.kind != Group::Kind::stride) return time;
    const double more_us = time.bytes_us * (std::min(ranks_per_node_, group.width) - 1);
    return {time.total_us + more_us, time.bytes_us + more_us};
  }

  std::unique_ptr<Network> between_, within_;
  Link link_;
  int ranks_per_node_;
};

}  // namespace

std::unique_ptr<Network> make_network(std::unique_ptr<Network> between, const Link& within, int ranks_per_node) {
  return std::make_unique<NodeNetwork>(std::move(between), within, ranks_per_node);
}

}  // namespace ringmark::replay
