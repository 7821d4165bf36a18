#include "replay/run/played_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A step of two ranks; the second computes `slower_us` longer. It has no lateness without a collective of all ranks.
PlayedStep step(double total_us, double slower_us, bool has_collectives_of_all = true) {
  PlayedStep step;
  step.total_us = step.times.total_us = total_us;
  step.times.phases[static_cast<std::size_t>(Phase::forward)] = {total_us - 10, 10, 0};
  step.times.micro_steps = {{total_us - 10, 10, 0}};
  step.slowest_rank = slower_us > 0 ? 1 : 0;
  step.skew_us = slower_us;
  step.clock_error_us = 0.5;
  step.begin_us = {1000, 1002};
  for (const double late_us : {0.0, slower_us}) {
    step.ranks.push_back({total_us, {total_us - 10, 10, 0}, std::nullopt});
    if (has_collectives_of_all) step.ranks.back().late_us = late_us;
  }
  return step;
}

PlayedSteps three(bool has_collectives_of_all = true) {
  PlayedSteps steps;
  for (const auto& each : {step(100, 5, has_collectives_of_all), step(900, 0, has_collectives_of_all),
                           step(120, 7, has_collectives_of_all)})
    steps.add(each);
  return steps;
}

TEST(PlayedSteps, are_typically_as_their_medians) {
  const auto steps = three();
  EXPECT_EQ(steps.typical().total_us, 120);
  EXPECT_EQ(steps.typical_whole().computation_us, 110);
  EXPECT_EQ(steps.typical_skew_us(), 5);
  EXPECT_EQ(steps.typical_ranks().at(1).total_us, 120);
  EXPECT_EQ(steps.typical_ranks().at(1).late_us, 5);
}

TEST(PlayedSteps, name_who_is_slow_and_who_was_waited_for) {
  EXPECT_EQ(three().slowest_rank(), 1);
  EXPECT_EQ(three().waited_for(), 1);
  EXPECT_EQ(three(false).waited_for(), std::nullopt) << "no collective is of all";
  PlayedSteps even;
  even.add(step(100, 0));
  EXPECT_EQ(even.waited_for(), std::nullopt);
}

TEST(PlayedSteps, are_samples_rank_by_rank) {
  const auto samples = three().samples();
  EXPECT_THAT(samples.time_us, ElementsAre(ElementsAre(100, 900, 120), ElementsAre(100, 900, 120)));
  EXPECT_THAT(samples.entry_us.at(1), ElementsAre(2, 2, 2)) << "after the first rank's first";
  EXPECT_THAT(samples.late_us.at(1), ElementsAre(5, 0, 7));
  EXPECT_EQ(samples.clock_error_us, 0.5);
  EXPECT_THAT(three(false).samples().late_us, IsEmpty());
  EXPECT_THAT(PlayedSteps().samples().time_us, IsEmpty());
}

TEST(PlayedSteps, are_told_with_what_went_wrong) {
  StepTrace trace;
  trace.id = "a-step";
  Record record{
      .transport = Transport::tcp, .ranks = 2, .samples = 3, .status = Status::bypassed, .detail = "went another way"};
  record.time_us_p50 = 120;
  const auto text = result_text(trace, three(), record);
  EXPECT_THAT(text, HasSubstr("a-step on 2 ranks over tcp: 0.120 ms a step (median of 3 steps; too few"));
  EXPECT_THAT(text, HasSubstr("slowest rank: 1; waited for longest: rank 1; entry skew of a collective 5.0 us"));
  EXPECT_THAT(text, HasSubstr("bypassed: "));
}

}  // namespace
}  // namespace ringmark::replay
