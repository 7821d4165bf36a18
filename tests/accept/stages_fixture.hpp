// Runs the stages on eight hosts behind four leaves, on a cluster that a test makes up.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "accept/run_stages.hpp"
#include "tests/accept/fake_cluster.hpp"

namespace ringmark::accept {

inline Criteria eight_hosts() {
  Criteria criteria;
  for (int host = 0; host < 8; ++host) criteria.fabric.hosts.push_back("host-" + std::to_string(host));
  criteria.fabric.leaves = {{"leaf1", {0, 1}}, {"leaf2", {2, 3}}, {"leaf3", {4, 5}}, {"leaf4", {6, 7}}};
  criteria.stages = possible_stages(criteria.fabric);
  return criteria;
}

class AcceptanceTest : public testing::Test {
 protected:
  AcceptanceResult ran() {
    told.clear();
    return run_stages(criteria, cluster, [this](const StageResult& stage) { told.push_back(stage.stage); });
  }
  static std::vector<std::string> parts(const StageResult& stage) {
    std::vector<std::string> names;
    for (const auto& finding : stage.findings) names.push_back(finding.part);
    return names;
  }
  static std::vector<std::string> drained(const StageResult& stage) {
    std::vector<std::string> names;
    for (const auto& finding : stage.findings) names.insert(names.end(), finding.hosts.begin(), finding.hosts.end());
    return names;
  }

  Criteria criteria = eight_hosts();
  FakeCluster cluster{criteria};
  std::vector<Stage> told;
};

}  // namespace ringmark::accept
