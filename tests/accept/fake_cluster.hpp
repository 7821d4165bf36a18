// A cluster whose launches give rows that a test makes up: faults can be put anywhere on any stage.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accept/cluster.hpp"

namespace ringmark::accept {

class FakeCluster final : public Cluster {
 public:
  explicit FakeCluster(const Criteria& criteria) : criteria_(criteria) {
    for (const auto host : all_hosts(criteria)) seen.facts[host] = {{"interfaces", {{"e0", {{"mtu", "9000"}}}}}};
  }

  void end_by(std::optional<Deadline> /*end*/) override {}
  Visit visit(VisitDepth depth) const override {
    auto visit = seen;
    if (depth == VisitDepth::facts) visit.complaints.clear();
    return visit;
  }
  void measure_on(std::vector<std::size_t> hosts) override { hosts_ = std::move(hosts); }
  sweep::LaunchRows launch(const std::string& name, const Measurement& measurement) const override {
    const auto stage = name.substr(0, name.find('-'));
    if (before_launch) before_launch(stage);
    ++launches[stage];
    sweep::LaunchRows launch;
    if (is_spent_in == stage) throw TimeSpent();
    if (const auto failure = failures.find(stage); failure != failures.end()) return failure->second;
    if (measurement.program == sweep::Program::link) {
      launch.rows = pairs(stage, measurement.ranks_per_host);
    } else {
      const bool is_leaves = measurement.arguments.contains("groups");
      const auto groups = is_leaves ? leaf_groups(criteria_, hosts_).size() + 1 : 1;
      for (std::size_t group = 0; group < groups; ++group) {
        launch.rows.push_back({});
        launch.rows.back().status = Status::ok;
        launch.rows.back().algorithm_used = algorithm(launches[stage]);
        launch.rows.back().time_us_p50 = 10'000 * wobble() * slows_by;
        launch.rows.back().samples = 100;
        launch.rows.back().time_us_mean = launch.rows.back().time_us_p50;
        launch.rows.back().time_us_max = *launch.rows.back().time_us_p50 + longest_us;
        launch.rows.back().busbw_GBps = wobble() * (is_leaves ? rate_of_leaf(group) : busbw_GBps);
      }
    }
    return launch;
  }
  void pause(std::chrono::milliseconds time) const override { paused += time; }
  void forget(const std::string& /*name*/) override {}
  std::vector<double> computation_us(const std::string& /*name*/) const override {
    std::vector<double> times;
    for (const auto host : hosts_) times.push_back(5000 * wobble() * computes_longer(host));
    return times;
  }
  const std::string& folder() const override { return folder_; }

  Visit seen;
  std::map<std::string, sweep::LaunchRows> failures;  ///< by stage
  std::function<double(const std::string& stage, std::size_t from, std::size_t to)> rate = [](const auto&, auto, auto) {
    return 10.0;
  };
  std::function<double(std::size_t from, std::size_t to)> answer_us = [](auto, auto) { return 10.0; };
  std::function<double(std::size_t leaf)> rate_of_leaf = [](auto) { return 10.0; };
  std::function<double(std::size_t host)> computes_longer = [](auto) { return 1.0; };
  std::function<std::string(int launch)> algorithm = [](auto) { return "ring"; };  ///< of the all_reduces
  std::function<void(Record&)> change_pair;                                        ///< a row of a pair
  std::string is_spent_in;  ///< the stage in which the budget ends
  std::function<void(const std::string& stage)> before_launch;
  double busbw_GBps = 10, slows_by = 1, longest_us = 0;
  mutable std::map<std::string, int> launches;  ///< by stage
  mutable std::chrono::milliseconds paused{};

 private:
  /// A scatter of half a percent, the same in every run.
  double wobble() const {
    constexpr unsigned steps = 11;
    state_ = state_ * 1664525U + 1013904223U;
    return 1 + 0.001 * (static_cast<double>((state_ >> 16U) % steps) - 5);
  }

  std::vector<Record> pairs(const std::string& stage, std::size_t rails) const {
    std::vector<Record> rows;
    const auto ranks = hosts_.size() * rails;
    for (std::size_t from = 0; from < ranks; ++from) {
      for (std::size_t to = 0; to < ranks; ++to) {
        if (from == to || from % rails != to % rails) continue;
        for (const auto test : {LinkTest::bandwidth, LinkTest::latency}) {
          rows.push_back({});
          auto& row = rows.back();
          row.link = LinkEnds{static_cast<int>(from), static_cast<int>(to)};
          row.collective = test;
          row.status = Status::ok;
          row.size_bytes = 1'000'000;
          row.samples = 100;
          if (change_pair) change_pair(row);
          row.time_us_min = test == LinkTest::latency ? answer_us(from, to) : 1000 / rate(stage, from, to) * wobble();
        }
      }
    }
    return rows;
  }

  const Criteria& criteria_;
  std::string folder_ = "nowhere";
  std::vector<std::size_t> hosts_;
  mutable unsigned state_ = 1;
};

}  // namespace ringmark::accept
