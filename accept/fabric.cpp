#include "accept/fabric.hpp"

#include <functional>
#include <optional>

#include <fmt/format.h>

namespace ringmark::accept {
namespace {

using Passes = std::function<bool(const PairRate&)>;

class Parts {
 public:
  Parts(const Fabric& fabric, const Round& pairs) : fabric_(fabric), pairs_(pairs) {}

  void add(PartKind kind, std::string name, std::vector<std::size_t> hosts, const Passes& passes) {
    Part part{kind, std::move(name), std::move(hosts), {}};
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (passes(pairs_[i])) part.pairs.push_back(i);
    }
    if (part.pairs.size() > 1) parts_.push_back(std::move(part));
  }

  void add_hosts() {
    for (std::size_t host = 0; host < fabric_.hosts.size(); ++host) {
      const auto& name = fabric_.hosts[host];
      add(PartKind::host, name, {host}, [host](const auto& pair) { return pair.from == host || pair.to == host; });
      add(PartKind::sending, "sending of " + name, {host}, [host](const auto& pair) { return pair.from == host; });
      add(PartKind::receiving, "receiving of " + name, {host}, [host](const auto& pair) { return pair.to == host; });
    }
  }

  void add_leaves() {
    std::vector<std::optional<std::size_t>> leaf_of(fabric_.hosts.size());
    for (std::size_t leaf = 0; leaf < fabric_.leaves.size(); ++leaf) {
      for (const auto host : fabric_.leaves[leaf].hosts) leaf_of[host] = leaf;
    }
    // All that leaves one of two leaves enters the other.
    if (fabric_.leaves.size() == 2) return add_two_leaves(leaf_of);
    for (std::size_t leaf = 0; leaf < fabric_.leaves.size(); ++leaf) {
      const auto& name = fabric_.leaves[leaf].name;
      const auto leaves_it = [&leaf_of, leaf](const PairRate& pair) {
        return leaf_of[pair.from] == leaf && leaf_of[pair.to] != leaf;
      };
      const auto enters_it = [&leaf_of, leaf](const PairRate& pair) {
        return leaf_of[pair.from] != leaf && leaf_of[pair.to] == leaf;
      };
      add(PartKind::leaf, "uplinks of " + name, {},
          [&](const auto& pair) { return leaves_it(pair) || enters_it(pair); });
      add(PartKind::leaf_sends, "uplinks from " + name, {}, leaves_it);
      add(PartKind::leaf_receives, "uplinks to " + name, {}, enters_it);
    }
  }

  void add_two_leaves(const std::vector<std::optional<std::size_t>>& leaf_of) {
    const auto &a = fabric_.leaves.front().name, &b = fabric_.leaves.back().name;
    const auto goes = [&leaf_of](const PairRate& pair, std::size_t from) {
      return leaf_of[pair.from] == from && leaf_of[pair.to] == 1 - from;
    };
    add(PartKind::leaf, fmt::format("uplinks between {} and {}", a, b), {},
        [&](const auto& pair) { return goes(pair, 0) || goes(pair, 1); });
    add(PartKind::leaf_sends, fmt::format("uplinks from {} to {}", a, b), {},
        [&](const auto& pair) { return goes(pair, 0); });
    add(PartKind::leaf_sends, fmt::format("uplinks from {} to {}", b, a), {},
        [&](const auto& pair) { return goes(pair, 1); });
  }

  std::vector<Part> with_links() {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto& [from, to, rate] = pairs_[i];
      parts_.push_back(
          {PartKind::link, fmt::format("{} to {}", fabric_.hosts[from], fabric_.hosts[to]), {from, to}, {i}});
    }
    return std::move(parts_);
  }

 private:
  const Fabric& fabric_;
  const Round& pairs_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Part> parts_of(const Fabric& fabric, const Round& pairs) {
  Parts parts(fabric, pairs);
  parts.add_leaves();
  parts.add_hosts();
  return parts.with_links();
}

}  // namespace ringmark::accept
