// A fabric of numbers, with faults: what rounds of pairs would show. It stands in for hundreds of hosts.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "accept/fabric/fabric.hpp"

namespace ringmark::accept {

struct Scatter {
  double of_rounds = 0.01;    ///< of a pair between rounds
  double of_parts = 0.005;    ///< of healthy hosts, and of healthy links
  double of_launches = 0.03;  ///< of all pairs alike
  double disturbed = 0.01;    ///< how often a host or a pair has a bad round
};

inline Fabric fabric_of(std::size_t hosts, std::size_t hosts_per_leaf = 0) {
  Fabric fabric;
  for (std::size_t host = 0; host < hosts; ++host) {
    fabric.hosts.push_back(fmt::format("node{}", host));
    if (hosts_per_leaf == 0) continue;
    if (host % hosts_per_leaf == 0) fabric.leaves.push_back({fmt::format("leaf{}", host / hosts_per_leaf), {}});
    fabric.leaves.back().hosts.push_back(host);
  }
  return fabric;
}

class SimulatedFabric {
 public:
  /// The part of the rate that is left to a pair of hosts.
  using Fault = std::function<double(std::size_t from, std::size_t to)>;

  SimulatedFabric(const Fabric& fabric, const Scatter& scatter, Fault fault, std::uint64_t seed)
      : hosts_(fabric.hosts.size()), scatter_(scatter), fault_(std::move(fault)), random_(seed) {
    for (std::size_t i = 0; i < hosts_; ++i) of_host_.push_back(scatter_.of_parts * normal_(random_));
    for (std::size_t i = 0; i < hosts_ * hosts_; ++i) of_link_.push_back(scatter_.of_parts * normal_(random_));
  }

  Round round() {
    constexpr double rate_GBps = 24, disturbed_host = 0.1, disturbed_pair = 0.3;
    std::vector<double> disturbance(hosts_);
    for (auto& each : disturbance) each = is_disturbed() ? disturbed_host * std::abs(normal_(random_)) : 0;
    const double launch = scatter_.of_launches * normal_(random_);
    Round round;
    for (std::size_t from = 0; from < hosts_; ++from) {
      for (std::size_t to = 0; to < hosts_; ++to) {
        if (from == to) continue;
        double exponent = launch + of_host_[from] + of_host_[to] + of_link_[from * hosts_ + to] +
                          scatter_.of_rounds * normal_(random_) - disturbance[from] - disturbance[to];
        if (is_disturbed()) exponent -= disturbed_pair * std::abs(normal_(random_));
        round.push_back({from, to, rate_GBps * std::exp(exponent) * fault_(from, to)});
      }
    }
    return round;
  }

 private:
  bool is_disturbed() { return uniform_(random_) < scatter_.disturbed; }

  std::size_t hosts_;
  Scatter scatter_;
  Fault fault_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::vector<double> of_host_, of_link_;
};

}  // namespace ringmark::accept
