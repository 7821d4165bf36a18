#include "analysis/plan/calendar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "tests/analysis/plan/scenario_text.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

TEST(Calendar, reads_days_that_exist) {
  ASSERT_TRUE(parse_day("2027-01-15"));
  EXPECT_EQ(day_after(*parse_day("2027-01-15"), 0), "2027-01-15");
  EXPECT_TRUE(parse_day("2028-02-29"));
  for (const char* text :
       {"2027-02-29", "2027-13-01", "2027-00-10", "15.01.2027", "2027-1-15", "2027-01-15 ", "", "soon"})
    EXPECT_FALSE(parse_day(text)) << text;
}

TEST(Calendar, counts_days_as_spreadsheets_do) {
  const auto start = parse_day("2027-01-15").value();
  EXPECT_EQ(day_number(start), 46402);
  EXPECT_EQ(day_after(start, 16.99), "2027-01-31");
  EXPECT_EQ(day_after(start, 17), "2027-02-01");
  EXPECT_EQ(day_after(start, 409), "2028-02-28");
  EXPECT_EQ(day_after(start, 1e12), "after 9999");
}

constexpr auto started = R"(
tokens: 20e9
global_batch_sequences: 512
models: [llama-8b]
nodes: [8]
start: 2027-01-15
clusters:
  - {name: A, device: a100, intra: {alpha_us: 5, GBps: 230}, network: {alpha_us: 10, GBps: 180}}
)";

TEST(Calendar, gives_the_day_on_which_a_run_ends) {
  const auto scenario = scenario_of(started);
  const auto rows = make_plan(scenario);
  const auto days = answers_of(scenario, rows).at(0).chosen->days();
  const auto text = printed(scenario, rows);
  EXPECT_THAT(text, HasSubstr(day_after(*scenario.start, days.planned)));
  EXPECT_THAT(text, HasSubstr(day_after(*scenario.start, days.range().high)));
  EXPECT_THAT(scenario_refusal(with(started, "2027-01-15", "2027-02-30")), HasSubstr("start: '2027-02-30'"));
}

}  // namespace
}  // namespace ringmark::analysis
