#include "accept/report.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark::accept {
namespace {

AcceptanceResult failed_result() {
  AcceptanceResult result{Outcome::fail, {}, {Stage::together}};
  result.stages.push_back({Stage::nodes, Outcome::fail, "3 of 4", {{"c", {"c"}, "does not answer"}}, {}, {}});
  result.stages.push_back({Stage::links,
                           Outcome::fail,
                           "6 links",
                           {{"a", {"a"}, "80 %"}, {"c", {"c"}, "slow"}, {"a to b", {}, "70 %"}},
                           {"b to d"},
                           {},
                           4});
  return result;
}

TEST(AcceptReport, drains_each_host_once_and_none_for_a_link) {
  EXPECT_EQ(drain_list(failed_result()), (std::vector<std::string>{"c", "a"}));
}

TEST(AcceptReport, is_json_with_the_outcome_of_each_stage) {
  Criteria criteria;
  criteria.fabric.hosts = {"a", "b", "c", "d"};
  const auto json = nlohmann::json::parse(as_json(criteria, failed_result(), {"lab.yaml", "2026-11-27T09:51:50Z", ""}));
  EXPECT_EQ(json["schema"], "accept/1");
  EXPECT_EQ(json["outcome"], "fail");
  EXPECT_EQ(json["criteria"], "lab.yaml");
  EXPECT_EQ(json["first_utc"], "2026-11-27T09:51:50Z");
  EXPECT_EQ(json["drain"], (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(json["rungs"][1]["rung"], "links");
  EXPECT_EQ(json["rungs"][1]["rounds"], 4);
  EXPECT_EQ(json["rungs"][1]["findings"][2]["part"], "a to b");
  EXPECT_EQ(json["left_out"], (std::vector<std::string>{"together"}));
}

TEST(AcceptReport, blames_the_scatter_for_parts_that_are_undecided_alone) {
  const auto words = [](const StageResult& stage) {
    return in_words(AcceptanceResult{Outcome::undecided, {stage}, {}});
  };
  EXPECT_NE(words({Stage::links, Outcome::undecided, "6 links", {}, {"a to b"}}).find("vary"), std::string::npos);
  for (const auto& stage : {StageResult{Stage::step, Outcome::undecided, "no time"},
                            StageResult{Stage::nodes, Outcome::undecided, "3 of 3", {}, {"no time of b"}}}) {
    EXPECT_EQ(words(stage).find("vary"), std::string::npos);
    EXPECT_NE(words(stage).find("no time"), std::string::npos);
  }
}

TEST(AcceptReport, shows_at_most_five_findings_of_a_stage) {
  StageResult stage{Stage::links, Outcome::fail};
  for (int i = 0; i < 7; ++i) stage.findings.push_back({"host" + std::to_string(i), {}, "slow"});
  const auto text = in_words(stage);
  EXPECT_NE(text.find("host4"), std::string::npos);
  EXPECT_EQ(text.find("host5"), std::string::npos);
  EXPECT_NE(text.find("and 2 more"), std::string::npos);
}

TEST(AcceptReport, names_undecided_parts_in_one_line) {
  StageResult stage{Stage::links, Outcome::undecided, "90 links"};
  for (int i = 0; i < 48; ++i) stage.undecided.push_back("link" + std::to_string(i));
  const auto text = in_words(stage);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find("and 43 more"), std::string::npos);
}

}  // namespace
}  // namespace ringmark::accept
