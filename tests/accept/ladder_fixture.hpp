// Climbs the ladder on eight hosts behind four leaves, on a cluster that a test makes up.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "accept/ladder.hpp"
#include "tests/accept/fake_cluster.hpp"

namespace ringmark::accept {

inline Criteria eight_hosts() {
  Criteria criteria;
  for (int host = 0; host < 8; ++host) criteria.fabric.hosts.push_back("host-" + std::to_string(host));
  criteria.fabric.leaves = {{"leaf1", {0, 1}}, {"leaf2", {2, 3}}, {"leaf3", {4, 5}}, {"leaf4", {6, 7}}};
  criteria.rungs = possible_rungs(criteria.fabric);
  return criteria;
}

class LadderTest : public testing::Test {
 protected:
  LadderResult climbed() {
    told.clear();
    return climb(criteria, cluster, [this](const RungResult& rung) { told.push_back(rung.rung); });
  }
  static std::vector<std::string> parts(const RungResult& rung) {
    std::vector<std::string> names;
    for (const auto& finding : rung.findings) names.push_back(finding.part);
    return names;
  }
  static std::vector<std::string> drained(const RungResult& rung) {
    std::vector<std::string> names;
    for (const auto& finding : rung.findings) names.insert(names.end(), finding.hosts.begin(), finding.hosts.end());
    return names;
  }

  Criteria criteria = eight_hosts();
  FakeCluster cluster{criteria};
  std::vector<Rung> told;
};

}  // namespace ringmark::accept
