#include "accept/page/page.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark::accept {
namespace {

/// The page's data, as its script reads it.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)", end = "</script>";
  const auto from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find(end, from) - from), nullptr, false);
}

TEST(AcceptPage, has_the_verdict_and_the_pairs_by_host_leaf_and_rail) {
  Criteria criteria;
  criteria.fabric = {{"a", "b"}, {{"left", {0}}, {"right", {1}}}, 1, 2};
  LadderResult result{Outcome::fail, {}, {Rung::step}};
  result.rungs.push_back(
      {Rung::rails, Outcome::fail, "4 links", {{"rail 2 of b", {"b"}, "nothing passes", "its NIC"}}});
  result.rungs.back().pairs = PairMap{criteria.fabric, {{0, 2, 10}, {1, 3, 0}}};
  const auto page = as_page(criteria, result);
  const auto data = data_of(page);
  EXPECT_EQ(data["outcome"], "fail");
  EXPECT_EQ(data["drain"][0], "b");
  const auto& pairs = data["rungs"][0]["pairs"];
  ASSERT_EQ(pairs["ends"].size(), 4U);
  EXPECT_EQ(pairs["ends"][3]["host"], 1);
  EXPECT_EQ(pairs["ends"][3]["leaf"], 1);
  EXPECT_EQ(pairs["ends"][3]["rail"], 1);
  EXPECT_EQ(pairs["rates"][0], (nlohmann::json{0, 2, 10.0}));
  EXPECT_EQ(page.find("{{"), std::string::npos) << "a part is missing";
}

TEST(AcceptPage, reads_no_text_as_html) {
  Criteria criteria;
  criteria.name = "</script><b>";
  criteria.fabric.hosts = {"a"};
  const auto page = as_page(criteria, {Outcome::pass, {}, {}});
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(data_of(page)["name"], criteria.name);
}

}  // namespace
}  // namespace ringmark::accept
