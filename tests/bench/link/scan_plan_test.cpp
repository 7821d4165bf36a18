#include "bench/link/scan_plan.hpp"

#include <gmock/gmock.h>

namespace ringmark {
namespace {

LinkOptions scan_of(PairChoice pairs) {
  LinkOptions options;
  options.pairs = pairs;
  return options;
}

TEST(ScanPlan, shares_about_a_minute_among_its_steps) {
  const auto options = scan_of({PairKind::all});
  const std::vector<std::string> few{"a", "b"};
  EXPECT_EQ(plan_scan(options, few).max_time_s, 1.0);
  std::vector<std::string> hosts;
  for (int host = 0; host < 64; ++host) hosts.push_back(std::to_string(host));
  const auto plan = plan_scan(options, hosts);
  EXPECT_EQ(plan.steps.size(), 126U);
  EXPECT_EQ(plan.measurements.size(), 2U);
  EXPECT_NEAR(plan.max_time_s * 126 * 2, 45, 0.01);
  auto given = options;
  given.time_is_given = true;
  EXPECT_EQ(plan_scan(given, hosts).max_time_s, 1.0);
}

TEST(ScanPlan, counts_the_links_that_are_measured_again_alone) {
  auto options = scan_of({PairKind::all});
  const std::vector<std::string> hosts{"a", "b", "c", "d"};
  const auto plan = plan_scan(options, hosts);
  EXPECT_EQ(plan.repeats(options), std::vector(8, LinkMeasurement(LinkTest::bandwidth, 1 << 20)));
  options.repeat_alone = 100;
  EXPECT_EQ(plan.repeats(options).size(), 12U) << "no link twice";
  options.tests = {LinkTest::latency};
  EXPECT_TRUE(plan_scan(options, hosts).repeats(options).empty());
}

TEST(ScanPlan, is_explained_step_by_step) {
  const auto text = explain_scan(scan_of({PairKind::all}), 4);
  EXPECT_THAT(text, testing::HasSubstr("# 12 links in 6 steps, at most 2 at once"));
  EXPECT_THAT(text, testing::HasSubstr("step 6: "));
  const auto incast = explain_scan(scan_of({.kind = PairKind::incast, .senders = 3}), 4);
  EXPECT_THAT(incast, testing::HasSubstr("# 12 links in 4 steps, at most 3 at once"));
  EXPECT_THAT(incast, testing::ContainsRegex("step 1: [0-9], [0-9], [0-9] to [0-9]"));
}

TEST(ScanPlan, of_many_hosts_is_explained_by_its_first_steps) {
  const auto text = explain_scan(scan_of({PairKind::all}), 1024);
  EXPECT_THAT(text, testing::HasSubstr("# 1047552 links in 2046 steps, at most 512 at once"));
  EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("and 504 more\n"), testing::HasSubstr("and 2006 more steps\n")));
}

}  // namespace
}  // namespace ringmark
