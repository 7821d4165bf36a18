#include "accept/judge/signs.hpp"

#include <cmath>
#include <functional>
#include <set>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/accept/simulated_cluster.hpp"

namespace ringmark::accept {
namespace {

using testing::HasSubstr;

const RecordedNoise& noise() {
  static const RecordedNoise recorded(RINGMARK_SOURCE_DIR "/tests/accept/recorded/lab_noise.csv");
  return recorded;
}

constexpr ClusterShape small{.leaves = 4, .hosts_per_leaf = 4, .spines = 4, .rails = 1, .rounds = 15};

constexpr ClusterShape larger{.leaves = 8, .hosts_per_leaf = 8, .spines = 8, .rails = 1, .rounds = 16};

/// `alter` changes what each pair shows.
ScansVerdict verdict_on(
    const ClusterShape& shape, const Faults& faults, std::uint64_t seed,
    const std::function<void(PairSigns&)>& alter = [](PairSigns&) {}) {
  SimulatedCluster cluster(shape, faults, noise(), seed);
  std::vector<Scan> scans;
  ScansVerdict verdict;
  while (scans.size() < 12) {
    scans.push_back(cluster.scan());
    for (auto& pair : scans.back().pairs) alter(pair);
    verdict = judge_scans(cluster.fabric(), scans, {}, std::nullopt);
    if (verdict.outcome != Outcome::undecided && verdict.undecided.empty()) break;
  }
  return verdict;
}

using Names = std::set<std::string>;

Names names(const ScansVerdict& verdict) {
  Names names;
  for (const auto& culprit : verdict.culprits) names.insert(culprit.part.name);
  return names;
}

struct Example {
  std::string what;
  Faults faults;
  Names culprits;
  std::set<Sign> signs;
  ClusterShape shape = small;
};

/// Which part is named, for each fault that the page lists; one in four may be missed.
TEST(Signs, name_the_part_with_the_fault) {
  const ClusterShape two_rails{.leaves = 4, .hosts_per_leaf = 4, .spines = 4, .rails = 2, .rounds = 31};
  const std::vector<Example> examples{
      {"nothing", {}, {}, {}},
      {"a slow host", {.hosts = {{.at = 5, .rate = 0.8}}}, {"node5"}, {Sign::rate}},
      {"an uplink", {.uplinks = {{.at = 2, .rate = 0.5}}}, {"an uplink of leaf3"}, {Sign::rate}},
      {"a spine", {.spines = {{.at = 1, .rate = 0.5}}}, {"a spine"}, {Sign::rate}},
      {"a leaf with half of its uplinks", {.oversubscribed_leaves = {1}}, {"uplinks of leaf2"}, {Sign::loaded}},
      {"a rail that is down", {.ends = {{.at = 7, .rate = 0}}}, {"rail 2 of node3"}, {Sign::rate}, two_rails},
      {"loss", {.hosts = {{.at = 9, .rate = 0.95, .resent_share = 0.005}}}, {"node9"}, {Sign::resent}, larger},
      {"delay", {.hosts = {{.at = 9, .delay_us = 200}}}, {"node9"}, {Sign::answer}, larger},
      {"one of two uplinks",
       {.uplinks = {{.at = 0, .rate = 0.4}}},
       {"an uplink between leaf1 and leaf2"},
       {Sign::rate},
       {.leaves = 2, .hosts_per_leaf = 4, .spines = 2, .rails = 1, .rounds = 7}},
      {"one of two uplinks, which slows the leaf under load too",
       {.uplinks = {{.at = 2, .rate = 0.5}}},
       {"an uplink of leaf3"},
       {Sign::rate},
       {.leaves = 3, .hosts_per_leaf = 4, .spines = 2, .rails = 1, .rounds = 11}},
      {"one of two uplinks of few hosts",
       {.uplinks = {{.at = 2, .rate = 0.5}}},
       {"an uplink of leaf3"},
       {Sign::rate},
       {.leaves = 3, .hosts_per_leaf = 2, .spines = 2, .rails = 1, .rounds = 5}},
      {"two faults",
       {.hosts = {{.at = 1, .rate = 0.8}}, .uplinks = {{.at = 3, .rate = 0.5}}},
       {"node1", "an uplink of leaf4"},
       {Sign::rate}},
  };
  constexpr int seeds = 4;
  for (const auto& [what, faults, culprits, signs, shape] : examples) {
    int right = 0;
    std::string named;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const auto verdict = verdict_on(shape, faults, seed);
      if (names(verdict) != culprits) {
        named += fmt::format("{}: {}; ", seed, fmt::join(names(verdict), ", "));
        continue;
      }
      ++right;
      EXPECT_EQ(verdict.outcome, culprits.empty() ? Outcome::pass : Outcome::fail) << what;
      for (const auto& culprit : verdict.culprits) EXPECT_TRUE(signs.contains(culprit.sign)) << what;
    }
    EXPECT_GE(right, culprits.empty() ? seeds : seeds - 1) << what << " is called " << named;
  }
}

TEST(Signs, name_slow_links_that_a_slow_uplink_does_not_explain) {
  // One does not pass leaf3, to which the uplink belongs; the other is slower than the uplink.
  const auto verdict = verdict_on(small, {.uplinks = {{.at = 2, .rate = 0.5}}}, 1, [](PairSigns& pair) {
    if (pair.from == 0 && pair.to == 4) pair.GBps *= 0.5;
    if (pair.from == 8 && pair.to == 0) pair.GBps = 0;
  });
  EXPECT_EQ(names(verdict), (Names{"an uplink of leaf3", "node0 to node4", "node8 to node0"}));
}

TEST(Signs, name_a_part_with_several_once) {
  SimulatedCluster cluster(larger, {.oversubscribed_leaves = {1}}, noise(), 1);
  std::vector<Scan> scans;
  for (int i = 0; i < 5; ++i) {
    scans.push_back(cluster.scan());
    for (auto& pair : scans.back().pairs) {
      const auto is_behind = [](std::size_t end) { return end / larger.hosts_per_leaf == 1; };
      if (is_behind(pair.from) != is_behind(pair.to)) pair.resent_share = 0.005;
    }
  }
  const auto verdict = judge_scans(cluster.fabric(), scans, {}, std::nullopt);
  ASSERT_EQ(verdict.culprits.size(), 1U);
  EXPECT_EQ(verdict.culprits[0].part.name, "uplinks of leaf2");
  EXPECT_EQ(verdict.culprits[0].sign, Sign::resent);
}

TEST(Signs, of_a_lossy_host_are_no_path_that_some_connections_take) {
  constexpr std::size_t lossy = 2, packets_of_a_pair = 724;
  SimulatedCluster cluster({.leaves = 3, .hosts_per_leaf = 2, .spines = 2}, {}, noise(), 1);
  std::vector<Scan> scans;
  for (std::size_t round = 0; round < 6; ++round) {
    scans.push_back(cluster.scan());
    auto& pairs = scans.back().pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool is_lossy = pairs[i].from == lossy || pairs[i].to == lossy;
      const auto resent = (7 * i + 3 * round) % 4 + (is_lossy ? 6 : 0);
      pairs[i].resent_share = static_cast<double>(resent) / packets_of_a_pair;
    }
    if (round + 1 == fewest_rounds) {
      EXPECT_NE(judge_scans(cluster.fabric(), scans, {}, std::nullopt).outcome, Outcome::pass);
    }
  }
  const auto verdict = judge_scans(cluster.fabric(), scans, {}, std::nullopt);
  EXPECT_EQ(names(verdict), Names{"node2"});
}

TEST(Signs, say_how_much_is_lost_and_of_what) {
  const auto lossy = verdict_on(larger, {.hosts = {{.at = 9, .rate = 0.95, .resent_share = 0.005}}}, 1);
  ASSERT_EQ(lossy.culprits.size(), 1U);
  EXPECT_NE(evidence(lossy.culprits[0], lossy.expected_GBps).find("retransmitted"), std::string::npos);
  const auto uplink = verdict_on(small, {.uplinks = {{.at = 2, .rate = 0.5}}}, 1);
  ASSERT_EQ(names(uplink), Names{"an uplink of leaf3"});
  EXPECT_NEAR(uplink.culprits[0].share, 0.25, 0.1) << "a path of four";
  EXPECT_NEAR(uplink.culprits[0].ratio, 0.5, 0.1);
  EXPECT_TRUE(uplink.culprits[0].part.hosts.empty()) << "no host is to be drained";
}

TEST(Signs, have_their_figures_in_the_evidence) {
  const auto told = [](Sign sign, double ratio) {
    SignedCulprit culprit{};
    culprit.sign = sign;
    culprit.ratio = ratio;
    return evidence(culprit, 0.0605);
  };
  EXPECT_THAT(told(Sign::rate, 0.79), HasSubstr("79 % of 0.0605 GB/s"));
  EXPECT_THAT(told(Sign::resent, std::exp2(-9.9)), HasSubstr("0.99 %")) << "half the rate for each thousandth";
  EXPECT_THAT(told(Sign::answer, 0.4), HasSubstr("2.5 times"));
  EXPECT_THAT(told(Sign::answer, 0.001), HasSubstr("500 times")) << "none comes";
  EXPECT_THAT(told(Sign::loaded, 0.62), HasSubstr("62 %"));
}

/// Scans of all pairs of four hosts without noise, as `of` alters them.
std::vector<Scan> scans_with(const std::function<void(PairSigns&)>& of) {
  Scan scan;
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      if (from == to) continue;
      scan.pairs.push_back({from, to, 10, 0, 12.0});
      of(scan.pairs.back());
    }
  }
  return {scan, scan, scan, scan};
}

Record row_of(int from, int to, LinkTest test, Status status, const std::string& detail = "") {
  Record row;
  row.link = LinkEnds{from, to};
  row.collective = test;
  row.size_bytes = 10'000;
  row.status = status;
  row.detail = detail;
  if (!is_failure(status)) row.time_us_min = test == LinkTest::latency ? 12 : 1;
  return row;
}

TEST(SignsOfRows, are_none_of_a_link_that_failed) {
  const auto pairs =
      signs_of({row_of(1, 0, LinkTest::latency, Status::timeout, "no answer"),
                row_of(1, 0, LinkTest::bandwidth, Status::failed, "lost"), row_of(0, 1, LinkTest::latency, Status::ok),
                row_of(0, 1, LinkTest::bandwidth, Status::ok)},
               {3, 7});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].from, 3U);
  EXPECT_EQ(pairs[0].to, 7U);
  EXPECT_DOUBLE_EQ(pairs[0].GBps, 10);
  EXPECT_EQ(pairs[0].latency_us, 12.0);
  EXPECT_EQ(pairs[0].worst, Status::ok);
  EXPECT_EQ(pairs[1].GBps, 0);
  EXPECT_FALSE(pairs[1].latency_us);
  EXPECT_EQ(pairs[1].worst, Status::timeout);
  EXPECT_EQ(pairs[1].words, "no answer");
}

TEST(SignsOfRows, keep_the_rate_of_a_link_with_wrong_bytes_and_name_its_trouble) {
  const auto pairs = signs_of({row_of(0, 1, LinkTest::bandwidth, Status::wrong, "differs"),
                               row_of(2, 0, LinkTest::bandwidth, Status::wrong, "differs"),
                               row_of(1, 2, LinkTest::bandwidth, Status::bypassed, "by shared memory"),
                               row_of(2, 1, LinkTest::bandwidth, Status::bypassed, "by shared memory")},
                              {0, 1, 2});
  for (const auto& pair : pairs) EXPECT_DOUBLE_EQ(pair.GBps, 10);
  const auto troubles = troubles_in(pairs);
  ASSERT_EQ(troubles.size(), 2U);
  EXPECT_EQ(troubles[0].status, Status::bypassed);
  EXPECT_EQ(troubles[0].times, 2U);
  EXPECT_FALSE(troubles[0].common_host) << "it may be either";
  EXPECT_EQ(troubles[1].status, Status::wrong);
  EXPECT_EQ(troubles[1].words, "differs");
  EXPECT_EQ(troubles[1].links.size(), 2U);
  EXPECT_EQ(troubles[1].common_host, 0U);
  EXPECT_TRUE(troubles_in(scans_with([](const auto&) {}).front().pairs).empty());
}

TEST(SignsOfRows, have_a_trouble_s_first_words_and_all_its_times) {
  const auto first = signs_of({row_of(0, 1, LinkTest::bandwidth, Status::failed, "connection reset")}, {0, 1});
  const auto second = signs_of({row_of(0, 1, LinkTest::bandwidth, Status::failed, "no route")}, {0, 1});
  auto measured = first;
  measured.insert(measured.end(), second.begin(), second.end());
  const auto troubles = troubles_in(measured);
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_EQ(troubles[0].times, 2U);
  EXPECT_EQ(troubles[0].words, "connection reset");
  EXPECT_EQ(troubles[0].links.size(), 1U);
}

TEST(PartsOf, have_two_pairs_at_least_besides_the_links_themselves) {
  const Fabric three{{"a", "b", "c"}, {}};
  const auto names = [&](const Round& round) {
    std::vector<std::string> all;
    for (const auto& part : parts_of(three, round)) all.push_back(part.name);
    return all;
  };
  EXPECT_EQ(names({{0, 1, 1}}), std::vector<std::string>{"a to b"});
  EXPECT_EQ(names({{0, 1, 1}, {0, 2, 1}}), (std::vector<std::string>{"a", "sending of a", "a to b", "a to c"}));
}

const Fabric four_hosts{{"a", "b", "c", "d"}, {}};

TEST(Signs, are_left_out_where_nothing_shows_them) {
  const auto mute = scans_with([](PairSigns& pair) { pair.latency_us.reset(); });
  EXPECT_EQ(judge_scans(four_hosts, mute, {}, std::nullopt).outcome, Outcome::pass);
  const auto dead = judge_scans(four_hosts, scans_with([](PairSigns& pair) { pair.GBps = 0; }), {}, std::nullopt);
  EXPECT_EQ(dead.outcome, Outcome::undecided);
  EXPECT_EQ(dead.expected_GBps, 0);
}

TEST(Signs, of_late_answers_count_from_ten_times_the_usual_in_a_box) {
  const auto with_answers = [](double factor) {
    return scans_with([factor](PairSigns& pair) {
      if (pair.from == 2 && pair.to == 0 && pair.latency_us) *pair.latency_us *= factor;
    });
  };
  constexpr bool in_a_box = true;
  EXPECT_EQ(judge_scans(four_hosts, with_answers(3), {}, std::nullopt).outcome, Outcome::fail);
  EXPECT_EQ(judge_scans(four_hosts, with_answers(3), {}, std::nullopt, in_a_box).outcome, Outcome::pass);
  EXPECT_EQ(judge_scans(four_hosts, with_answers(30), {}, std::nullopt, in_a_box).outcome, Outcome::fail);
}

TEST(Signs, of_few_pairs_are_held_against_what_these_show) {
  const auto scans = scans_with([](PairSigns& pair) {
    if (pair.from > 1 || pair.to == 3) pair.latency_us.reset();
  });
  const auto verdict = judge_scans(four_hosts, scans, {}, std::nullopt);
  EXPECT_TRUE(names(verdict).contains("d")) << "none of its pairs answers";
  EXPECT_FALSE(names(verdict).contains("a to b"));
  for (const auto& culprit : verdict.culprits) {
    EXPECT_EQ(culprit.sign, Sign::answer) << culprit.part.name;
    EXPECT_TRUE(std::isfinite(culprit.ratio)) << culprit.part.name;
  }
}

}  // namespace
}  // namespace ringmark::accept
