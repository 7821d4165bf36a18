#include "accept/page/page.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark::accept {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The page's data, as its script reads it.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)", end = "</script>";
  const auto from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find(end, from) - from), nullptr, false);
}

TEST(AcceptPage, has_the_verdict_and_the_pairs_by_host_leaf_and_rail) {
  Criteria criteria;
  criteria.fabric = {{"a", "b"}, {{"left", {0}}, {"right", {1}}}, 1, 2};
  AcceptanceResult result{Outcome::fail, {}, {Stage::step}};
  result.stages.push_back(
      {Stage::rails, Outcome::fail, "4 links", {{"rail 2 of b", {"b"}, "nothing passes", "its NIC"}}});
  result.stages.back().pairs = PairMap{criteria.fabric, {{0, 2, 10}, {1, 3, 0}}};
  const auto page = as_page(criteria, result, {});
  const auto data = data_of(page);
  EXPECT_EQ(data["outcome"], "fail");
  EXPECT_EQ(data["drain"][0], "b");
  const auto& pairs = data["rungs"][0]["pairs"];
  ASSERT_EQ(pairs["names"].size(), 4U);
  EXPECT_EQ(pairs["names"][3], "rail 2 of b");
  EXPECT_EQ(pairs["pairs"][0], (nlohmann::json{0, 2, 10.0}));
  std::vector<std::string> orders;
  for (const auto& each : pairs["orders"]) orders.push_back(each["by"]);
  EXPECT_EQ(orders, (std::vector<std::string>{"leaf", "host", "rail"}));
  EXPECT_EQ(pairs["orders"][2]["order"], (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(pairs["between"].size(), 2U);
  EXPECT_EQ(page.find("{{"), std::string::npos) << "a part is missing";
}

TEST(AcceptPage, reads_no_text_as_html) {
  Criteria criteria;
  criteria.name = "</script><b>";
  criteria.fabric.hosts = {"a"};
  const auto page = as_page(criteria, {Outcome::pass, {}, {}}, {});
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(data_of(page)["name"], criteria.name);
}

std::map<std::string, std::string> head_in(const nlohmann::json& data) {
  std::map<std::string, std::string> facts;
  for (const auto& fact : data["head"]) facts[fact[0]] = fact[1];
  return facts;
}

TEST(AcceptPage, begins_with_the_cluster_its_hosts_the_time_and_the_criteria) {
  Criteria criteria;
  criteria.name = "rack 7";
  criteria.fabric = {{"node01", "node02", "node03"}, {{"left", {0, 1}}, {"right", {2}}}, 4, 1};
  criteria.arguments["transport"] = "tcp";
  criteria.link_GBps = 24;
  const auto data = data_of(
      as_page(criteria, {Outcome::pass, {}, {}}, {"/etc/rack7.yaml", "2026-11-27T09:51:50Z", "2026-11-27T10:02:10Z"}));
  auto facts = head_in(data);
  EXPECT_EQ(facts["Cluster"], "rack 7");
  EXPECT_EQ(facts["Measured"], "2026-11-27 09:51 to 10:02 UTC");
  EXPECT_EQ(facts["Hosts"], "node[01-03] (3 hosts)");
  EXPECT_THAT(facts["Question"], HasSubstr("rack7.yaml"));
  EXPECT_THAT(facts["Topology"], AllOf(HasSubstr("2 leaves"), HasSubstr("4 spines")));
  EXPECT_THAT(facts["Settings"], HasSubstr("transport=tcp"));
  EXPECT_THAT(facts["Expected"], HasSubstr("24 GB/s"));
}

TEST(AcceptPage, says_why_it_is_undecided_and_keeps_all_parts_that_are) {
  Criteria criteria;
  criteria.fabric.hosts = {"a", "b"};
  StageResult stage{Stage::links, Outcome::undecided, "2 links"};
  for (int i = 0; i < 40; ++i) stage.undecided.push_back("link " + std::to_string(i));
  const auto data = data_of(as_page(criteria, {Outcome::undecided, {stage}, {}}, {}));
  EXPECT_EQ(data["rungs"][0]["undecided"].size(), 40U);
  EXPECT_FALSE(data["rungs"][0]["what_decides"].get<std::string>().empty());
  EXPECT_EQ(data["headline"], data["rungs"][0]["what_decides"]);
}

}  // namespace
}  // namespace ringmark::accept
