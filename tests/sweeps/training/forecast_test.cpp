#include "sweeps/training/forecast.hpp"

#include <algorithm>

#include "sweeps/training/shortlist.hpp"
#include "tests/sweeps/training/training_fixture.hpp"

namespace ringmark::sweep {
namespace {

class ForecastTest : public TrainingFixture {
 protected:
  const TrainingRun run_ = run();
  StepSpace space_{run_, steps()};
  Forecast forecast_{space_.options()};
};

TEST_F(ForecastTest, a_step_compared_with_itself_gains_nothing) {
  const auto gain = forecast_.gain(space_.own(), space_.own());
  EXPECT_EQ(gain.ratio, 1);
  EXPECT_FALSE(gain.is_sure());
}

TEST_F(ForecastTest, without_communication_only_computation_is_left) {
  const auto& own = space_.own();
  const auto& times = forecast_.times(own);
  EXPECT_GT(times.exposed_us, 0);
  const auto bare = forecast_.times_without_communication(own);
  EXPECT_EQ(bare.exposed_us, 0);
  EXPECT_LT(bare.step_us, times.step_us);
  const auto interval = forecast_.interval_us(own);
  EXPECT_LT(interval.low, times.step_us);
  EXPECT_GT(interval.high, times.step_us);
}

TEST_F(ForecastTest, continues_many_micro_steps_as_the_whole_step_takes) {
  const auto found = space_.candidates(Part::strategy, space_.own());
  const auto many = std::find_if(found.all.begin(), found.all.end(), [](const auto& each) { return each.shorter; });
  ASSERT_NE(many, found.all.end());
  auto whole = *many;
  whole.name = "whole";
  whole.trace = space_.whole_trace(whole);
  whole.shorter.reset();
  EXPECT_NEAR(forecast_.times(*many).step_us, forecast_.times(whole).step_us, 0.01 * forecast_.times(whole).step_us);
}

TEST_F(ForecastTest, intervals_hold_the_ratio_and_are_wider_where_steps_compute_differently) {
  const auto found = space_.candidates(Part::strategy, space_.own());
  for (const auto& each : found.all) {
    if (each.name == "default") continue;
    const auto gain = forecast_.gain(each, space_.own());
    ASSERT_TRUE(gain.interval);
    EXPECT_LE(gain.interval->low, gain.ratio) << each.name;
    EXPECT_GE(gain.interval->high, gain.ratio) << each.name;
  }
}

TEST_F(ForecastTest, a_shortlist_begins_with_the_default_and_has_no_step_that_is_surely_slower) {
  const auto list = shortlist(Part::strategy, space_, forecast_, space_.own(), 100);
  ASSERT_FALSE(list.all.empty());
  EXPECT_EQ(list.all.front().name, "default");
  EXPECT_EQ(list.all.size() + list.part.surely_slower + list.part.out_of_memory, list.part.candidates);
  const auto& best = list.fitting.front();
  for (const auto& each : list.all) {
    if (each.name == "default" || each.name == best.name) continue;
    EXPECT_LE(forecast_.gain(each, best).interval->low, 1) << each.name;
  }
  EXPECT_EQ(shortlist(Part::strategy, space_, forecast_, space_.own(), 1).all.size(), 1U);
}

TEST_F(ForecastTest, steps_that_do_not_fit_are_left_out) {
  write("small.yaml", "base: a100\nmemory_GiB: 1.1\n");
  const auto given = read(
      "model: model.json\nds_config: ds.json\nstep: {sequence: 256}\ncompute: {device: small.yaml}\n"
      "network: {alpha-us: 20, bandwidth-GBps: 0.5}\nranks: 4\nglobal_batch: 32\n");
  StepSpace space(given, folder_.file("small"));
  Forecast forecast(space.options());
  const auto list = shortlist(Part::strategy, space, forecast, space.own(), 100);
  EXPECT_GT(list.part.out_of_memory, 0U);
  for (const auto& each : list.all) EXPECT_TRUE(fits(each, device_bytes_of(space.options()))) << each.name;
}

}  // namespace
}  // namespace ringmark::sweep
