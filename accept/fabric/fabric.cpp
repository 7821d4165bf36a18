#include "accept/fabric/fabric.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
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
    add(std::move(part));
  }
  void add(Part part) {
    if (part.pairs.size() > 1) parts_.push_back(std::move(part));
  }

  void add_hosts() {
    const auto hosts = fabric_.hosts.size();
    std::vector<std::vector<std::size_t>> both(hosts), from(hosts), to(hosts);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto source = fabric_.host_of(pairs_[i].from), destination = fabric_.host_of(pairs_[i].to);
      both[source].push_back(i);
      if (destination != source) both[destination].push_back(i);
      from[source].push_back(i);
      to[destination].push_back(i);
    }
    for (std::size_t host = 0; host < hosts; ++host) {
      const auto& name = fabric_.hosts[host];
      add({PartKind::host, name, {host}, std::move(both[host])});
      add({PartKind::sending, "sending of " + name, {host}, std::move(from[host])});
      add({PartKind::receiving, "receiving of " + name, {host}, std::move(to[host])});
    }
    if (fabric_.rails > 1) add_rails();
  }

  void add_rails() {
    for (std::size_t end = 0; end < fabric_.hosts.size() * fabric_.rails; ++end)
      add(PartKind::nic, fabric_.name_of(end), {fabric_.host_of(end)},
          [end](const auto& pair) { return pair.from == end || pair.to == end; });
    for (std::size_t rail = 0; rail < fabric_.rails; ++rail)
      add(PartKind::rail, fmt::format("rail {}", rail + 1), {}, [this, rail](const auto& pair) {
        return fabric_.rail_of(pair.from) == rail && fabric_.rail_of(pair.to) == rail;
      });
  }

  void add_leaves() {
    std::vector<std::optional<std::size_t>> leaf_of(fabric_.hosts.size() * fabric_.rails);
    for (std::size_t end = 0; end < leaf_of.size(); ++end) leaf_of[end] = fabric_.leaf_of_end(end);
    // With two leaves, everything that leaves one enters the other.
    if (fabric_.leaves.size() == 2) return add_two_leaves(leaf_of);
    if (fabric_.leaves.size() > 2)
      add(PartKind::between, "all between leaves", {},
          [&](const auto& pair) { return leaf_of[pair.from] != leaf_of[pair.to]; });
    for (std::size_t leaf = 0; leaf < fabric_.leaves.size(); ++leaf) {
      const auto& name = fabric_.leaves[leaf].name;
      const auto leaves_it = [&leaf_of, leaf](const PairRate& pair) {
        return leaf_of[pair.from] == leaf && leaf_of[pair.to] != leaf;
      };
      const auto enters_it = [&leaf_of, leaf](const PairRate& pair) {
        return leaf_of[pair.from] != leaf && leaf_of[pair.to] == leaf;
      };
      const auto first = parts_.size();
      add(PartKind::leaf, "uplinks of " + name, {},
          [&](const auto& pair) { return leaves_it(pair) || enters_it(pair); });
      add(PartKind::leaf_sends, "uplinks from " + name, {}, leaves_it);
      add(PartKind::leaf_receives, "uplinks to " + name, {}, enters_it);
      for (auto part = first; part < parts_.size(); ++part) parts_[part].leaf = leaf;
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
          {PartKind::link,
           from == to ? fabric_.name_of(from) : fmt::format("{} to {}", fabric_.name_of(from), fabric_.name_of(to)),
           {fabric_.host_of(from), fabric_.host_of(to)},
           {i}});
    }
    return std::move(parts_);
  }

 private:
  const Fabric& fabric_;
  const Round& pairs_;
  std::vector<Part> parts_;
};

}  // namespace

std::string Fabric::name_of(std::size_t end) const {
  const auto& host = hosts[host_of(end)];
  return rails == 1 ? host : fmt::format("rail {} of {}", rail_of(end) + 1, host);
}

std::optional<std::size_t> Fabric::leaf_of_host(std::size_t host) const {
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const auto& behind = leaves[leaf].hosts;
    if (std::find(behind.begin(), behind.end(), host) != behind.end()) return leaf;
  }
  return std::nullopt;
}

std::vector<Part> parts_of(const Fabric& fabric, const Round& pairs) {
  Parts parts(fabric, pairs);
  parts.add_leaves();
  parts.add_hosts();
  return parts.with_links();
}

bool share_most(const std::vector<std::size_t>& all, const std::vector<std::size_t>& some) {
  std::vector<std::size_t> shared;
  std::set_intersection(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(shared));
  return 2 * shared.size() > some.size();
}

}  // namespace ringmark::accept
