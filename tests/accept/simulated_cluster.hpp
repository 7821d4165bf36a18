// A cluster of numbers, with faults: what scans of its pairs would show. Its noise was recorded (recorded_noise.hpp);
// the shape of the fabric and the physics of the faults are assumed. It stands in for hundreds of hosts.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "accept/judge/signs.hpp"
#include "tests/accept/recorded_noise.hpp"

namespace ringmark::accept {

/// As a share of what is usual, or as an addition; by default there is no fault.
struct Damage {
  std::size_t at = 0;  ///< the host, leaf, spine or end
  double rate = 1, resent_share = 0, delay_us = 0;
};

struct Faults {
  std::vector<Damage> hosts, ends, uplinks, spines;  ///< of uplinks: the first one of a leaf
  std::vector<std::size_t> oversubscribed_leaves;    ///< with half of the uplinks
};

struct ClusterShape {
  std::size_t leaves = 16, hosts_per_leaf = 16, spines = 16, rails = 1;
  std::size_t rounds = 32;  ///< of the circle method, which give each end as many pairs

  Fabric fabric() const;
  std::size_t ends() const { return leaves * hosts_per_leaf * rails; }
};

class SimulatedCluster {
 public:
  SimulatedCluster(const ClusterShape& shape, Faults faults, const RecordedNoise& noise, std::uint64_t seed)
      : shape_(shape), fabric_(shape.fabric()), faults_(std::move(faults)), noise_(noise), random_(seed) {
    for (std::size_t host = 0; host < fabric_.hosts.size(); ++host) stand_ins_.push_back(random_() % noise_.hosts());
    plan_pairs();
  }

  const Fabric& fabric() const { return fabric_; }

  /// The pairs of a step share no uplink, and each connection takes a spine at random.
  Scan scan() {
    constexpr double rate_GBps = 48, usual_latency_us = 12;
    const double launch = noise_.launch(random_);
    Scan scan;
    for (const auto& [from, to] : pairs_) {
      const auto sample = noise_.draw(stand_in(from), stand_in(to, from), random_);
      PairSigns pair{from, to, rate_GBps * std::exp(launch + sample.log_rate), sample.resent_share,
                     usual_latency_us * std::exp(sample.log_latency)};
      damage(pair, random_() % shape_.spines);
      scan.pairs.push_back(pair);
    }
    scan.loaded = loaded();
    return scan;
  }

 private:
  std::size_t leaf_of(std::size_t end) const { return end / shape_.rails / shape_.hosts_per_leaf; }
  std::size_t stand_in(std::size_t end) const { return stand_ins_[end / shape_.rails]; }
  std::size_t stand_in(std::size_t end, std::size_t other) const {
    const auto host = stand_in(end);
    return host == stand_in(other) ? (host + 1) % noise_.hosts() : host;
  }

  void plan_pairs() {
    const auto places = shape_.ends(), moving = places - 1;
    for (std::size_t round = 0; round < std::min(shape_.rounds, moving); ++round) {
      const auto at = [&](std::size_t place) { return place == moving ? moving : (place + round) % moving; };
      for (std::size_t i = 0; i < places / 2; ++i) {
        const auto a = at(i == 0 ? moving : i), b = at(i == 0 ? 0 : moving - i);
        pairs_.emplace_back(a, b);
        pairs_.emplace_back(b, a);
      }
    }
    std::sort(pairs_.begin(), pairs_.end());
  }

  static void apply(const Damage& damage, PairSigns& pair, double& least_rate) {
    least_rate = std::min(least_rate, damage.rate);
    pair.resent_share += damage.resent_share;
    if (pair.latency_us) *pair.latency_us += damage.delay_us;
  }

  void damage(PairSigns& pair, std::size_t spine) const {
    double least_rate = damage_hosts(pair);
    const auto from = leaf_of(pair.from), to = leaf_of(pair.to);
    if (from != to) {
      for (const auto& each : faults_.uplinks) {
        if ((from == each.at || to == each.at) && spine == 0) apply(each, pair, least_rate);
      }
      for (const auto& each : faults_.spines) {
        if (spine == each.at) apply(each, pair, least_rate);
      }
    }
    pair.GBps *= least_rate;
    if (least_rate == 0) pair.latency_us.reset();
  }

  /// Rounds of random pairs, the same in each scan, all pairs of a round at once: each pair has several connections,
  /// and connections that meet on an uplink share it.
  Round loaded() {
    std::mt19937_64 same_each_time(7);
    std::map<std::pair<std::size_t, std::size_t>, double> rates;
    for (int i = 0; i < 4; ++i) {
      std::vector<std::size_t> order(shape_.ends());
      for (std::size_t end = 0; end < order.size(); ++end) order[end] = end;
      for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[same_each_time() % left]);
      for (const auto& pair : loaded_round(order)) rates[{pair.from, pair.to}] = pair.GBps;
    }
    Round all;
    for (const auto& [ends, rate] : rates) all.push_back({ends.first, ends.second, rate});
    return all;
  }

  Round loaded_round(const std::vector<std::size_t>& order) {
    constexpr std::size_t connections = 8;
    const auto uplinks = shape_.spines;
    struct Flow {
      std::size_t pair, up, down;
    };
    std::vector<double> use_up(shape_.leaves * uplinks), use_down(shape_.leaves * uplinks);
    std::vector<Flow> flows;
    Round round;
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
      round.push_back({order[i], order[i + 1], 0});
      round.push_back({order[i + 1], order[i], 0});
    }
    for (std::size_t pair = 0; pair < round.size(); ++pair) {
      const auto from = leaf_of(round[pair].from), to = leaf_of(round[pair].to);
      for (std::size_t i = 0; i < connections && from != to; ++i) {
        const auto spine = random_() % (is_oversubscribed(from) || is_oversubscribed(to) ? uplinks / 2 : uplinks);
        flows.push_back({pair, from * uplinks + spine, to * uplinks + spine});
        use_up[flows.back().up] += 1.0 / connections;
        use_down[flows.back().down] += 1.0 / connections;
      }
    }
    std::vector<double> shares(round.size());
    for (const auto& [pair, up, down] : flows)
      shares[pair] +=
          1.0 / connections / std::max({1.0, use_up[up] / capacity_of(up), use_down[down] / capacity_of(down)});
    for (std::size_t pair = 0; pair < round.size(); ++pair) {
      PairSigns all{round[pair].from, round[pair].to,
                    leaf_of(round[pair].from) == leaf_of(round[pair].to) ? 1 : shares[pair]};
      round[pair].GBps = 48 * all.GBps * damage_hosts(all) * std::exp(noise_.draw(0, 1, random_).log_rate);
    }
    return round;
  }

  /// The share of an uplink that is left, by its number.
  double capacity_of(std::size_t uplink) const {
    const auto leaf = uplink / shape_.spines, spine = uplink % shape_.spines;
    double least_rate = 1;
    for (const auto& each : faults_.uplinks) {
      if (leaf == each.at && spine == 0) least_rate = std::min(least_rate, each.rate);
    }
    for (const auto& each : faults_.spines) {
      if (spine == each.at) least_rate = std::min(least_rate, each.rate);
    }
    return least_rate;
  }

  /// The share of the rate that is left.
  double damage_hosts(PairSigns& pair) const {
    double least_rate = 1;
    for (const auto& each : faults_.hosts) {
      if (fabric_.host_of(pair.from) == each.at || fabric_.host_of(pair.to) == each.at) apply(each, pair, least_rate);
    }
    for (const auto& each : faults_.ends) {
      if (pair.from == each.at || pair.to == each.at) apply(each, pair, least_rate);
    }
    return least_rate;
  }

  bool is_oversubscribed(std::size_t leaf) const {
    const auto& leaves = faults_.oversubscribed_leaves;
    return std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
  }

  ClusterShape shape_;
  Fabric fabric_;
  Faults faults_;
  const RecordedNoise& noise_;
  std::mt19937_64 random_;
  std::vector<std::size_t> stand_ins_;  ///< the recorded host of each host
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

inline Fabric ClusterShape::fabric() const {
  Fabric fabric;
  fabric.spines = spines;
  fabric.rails = rails;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    fabric.leaves.push_back({"leaf" + std::to_string(leaf + 1), {}});
    for (std::size_t i = 0; i < hosts_per_leaf; ++i) {
      fabric.leaves.back().hosts.push_back(fabric.hosts.size());
      fabric.hosts.push_back("node" + std::to_string(fabric.hosts.size()));
    }
  }
  return fabric;
}

}  // namespace ringmark::accept
