#include "accept/soak/soak.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "accept/soak/soak_verdict.hpp"
#include "tests/accept/fake_cluster.hpp"

namespace ringmark::accept {
namespace {

using namespace std::chrono_literals;

class SoakTest : public testing::Test {
 protected:
  static Criteria three_hosts() {
    Criteria criteria;
    criteria.fabric.hosts = {"a", "b", "c"};
    return criteria;
  }
  /// `before` is called before each round, with its number from 0.
  SoakLog soaked(int rounds, const std::function<void(int)>& before) {
    int round = 0;
    cluster.before_launch = [&](const std::string& /*stage*/) {
      if (round == rounds) throw std::out_of_range("enough");
      before(round++);
    };
    SoakLog last;
    try {
      soak(criteria, cluster, before_all, {1h}, [&](const SoakLog& log) { last = log; });
    } catch (const std::out_of_range&) {
      cluster.before_launch = nullptr;
    }
    return last;
  }
  void set_downs(std::size_t host, const char* times) {
    cluster.seen.facts[host]["interfaces"]["e0"] = {{"carrier_down_count", times}, {"driver", "mlx5_core"}};
  }
  static sweep::LaunchRows lost_c() {
    sweep::LaunchRows lost;
    lost.failure = "exit status 3";
    lost.lost_rank = LostRank{2, "c", "its connection closed"};
    return lost;
  }

  Criteria criteria = three_hosts();
  FakeCluster cluster{criteria};
  SoakLog before_all;  ///< that the soak goes on with
};

TEST_F(SoakTest, without_events_passes) {
  const auto log = soaked(15, [](int) {});
  EXPECT_EQ(log.rounds_measured, 15U);
  EXPECT_TRUE(log.events.empty());
  const auto stage = judged(criteria, log);
  EXPECT_EQ(stage.outcome, Outcome::pass) << stage.summary;
}

TEST_F(SoakTest, tells_a_stand_still_and_the_link_that_went_down) {
  set_downs(1, "3");
  const auto log = soaked(4, [&](int round) {
    cluster.longest_us = round == 2 ? 4e6 : 0;
    if (round == 2) set_downs(1, "4");
  });
  ASSERT_EQ(log.events.size(), 2U);
  EXPECT_EQ(log.events[0].kind, SoakEventKind::stall);
  EXPECT_NEAR(log.events[0].stood_still_s.value(), 4, 0.1);
  EXPECT_EQ(log.events[1].kind, SoakEventKind::flap);
  ASSERT_EQ(log.events[1].parts.size(), 1U);
  EXPECT_EQ(log.events[1].parts[0].name(), "b e0");
  const auto stage = judged(criteria, log);
  EXPECT_EQ(stage.outcome, Outcome::fail);
  ASSERT_EQ(stage.findings.size(), 2U);
  EXPECT_EQ(stage.findings[1].hosts, (std::vector<std::string>{"b"}));
}

TEST_F(SoakTest, tells_no_links_that_carry_none_of_it) {
  const auto container = [this](const char* times) {
    cluster.seen.facts[0]["interfaces"]["docker0"] = {{"carrier_down_count", times}};
  };
  container("1");
  set_downs(1, "3");
  const auto flap = [&](int) {
    container("2");
    set_downs(1, "4");
  };
  const auto by_driver = soaked(12, flap);
  ASSERT_EQ(by_driver.events.size(), 1U);
  ASSERT_EQ(by_driver.events[0].parts.size(), 1U);
  EXPECT_EQ(by_driver.events[0].parts[0].name(), "b e0");
  container("1");
  set_downs(1, "3");
  criteria.arguments["tcp.interface"] = "e1,e2";
  EXPECT_TRUE(soaked(12, flap).events.empty());
}

TEST_F(SoakTest, tells_a_lost_rank_once_and_that_collectives_recover) {
  const auto lost = lost_c();
  const auto log = soaked(6, [&](int round) {
    cluster.failures.clear();
    if (round == 1 || round == 2) cluster.failures["soak"] = lost;
    if (round == 5) cluster.failures["soak"] = lost;
  });
  ASSERT_EQ(log.events.size(), 2U);
  EXPECT_EQ(log.events[0].kind, SoakEventKind::loss);
  EXPECT_EQ(log.events[0].parts.at(0).host, "c");
  EXPECT_TRUE(log.events[0].stood_still_s);
  EXPECT_FALSE(log.events[1].stood_still_s) << "it has not recovered";
}

TEST_F(SoakTest, tries_a_cluster_that_stays_down_once_a_stretch) {
  cluster.failures["soak"] = lost_c();
  EXPECT_EQ(soaked(3, [](int) {}).events.size(), 1U);
  EXPECT_GT(cluster.paused, 2 * stretch_of(1h));
}

TEST_F(SoakTest, that_goes_on_knows_that_collectives_were_down) {
  before_all.down_s = 30;
  before_all.add(SoakEvent{SoakEventKind::loss, "t", std::nullopt, {{"c"}}, "lost"});
  const auto log = soaked(4, [&](int round) {
    cluster.failures.clear();
    if (round == 0) cluster.failures["soak"] = lost_c();
  });
  ASSERT_EQ(log.events.size(), 1U) << "it is the same loss";
  EXPECT_GE(log.events[0].stood_still_s.value(), 30);
  EXPECT_EQ(log.down_s, 0);
}

TEST_F(SoakTest, fails_where_collectives_become_slower) {
  const auto log = soaked(60, [&](int round) { cluster.slows_by = 1 + 0.01 * round; });
  const auto stage = judged(criteria, log);
  EXPECT_EQ(stage.outcome, Outcome::fail) << stage.summary;
}

TEST_F(SoakTest, keeps_a_bounded_log_that_can_be_read_back) {
  SoakLog log;
  for (int i = 0; i < 5000; ++i) log.add(SoakRound{std::to_string(i), 2, 1, 10.0, 1.0, 2.0});
  for (int i = 0; i < 700; ++i) log.add(SoakEvent{SoakEventKind::flap, "t", std::nullopt, {{"a", "e0"}}, "down"});
  EXPECT_LE(log.rounds.size(), SoakLog::most_rounds);
  EXPECT_GE(log.rounds.size(), SoakLog::most_rounds / 2);
  for (std::size_t i = 0; i < log.rounds.size(); ++i) EXPECT_EQ(log.rounds[i].time_utc, std::to_string(8 * i));
  EXPECT_EQ(log.events.size(), SoakLog::most_events);
  const auto read = read_soak_log(as_json(log));
  EXPECT_EQ(read.rounds_measured, 5000U);
  EXPECT_EQ(read.events_seen, 700U);
  EXPECT_EQ(read.seconds, 10000);
  EXPECT_EQ(read.measured_s, 5000);
  EXPECT_EQ(as_json(read), as_json(log));
  EXPECT_THROW(read_soak_log("{}"), std::invalid_argument);
}

}  // namespace
}  // namespace ringmark::accept
