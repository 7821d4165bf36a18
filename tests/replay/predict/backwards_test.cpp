#include "replay/predict/backwards.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/step/compute_model.hpp"
#include "tests/replay/predict/constant_network.hpp"
#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

StepSettings settings_of(int ranks) {
  StepSettings settings;
  settings.zero_stage = 3;
  settings.ranks = ranks;
  settings.micro_batch = 8;
  return settings;
}

StepTrace trace_of(int ranks) { return generate(load_model("opt-1.3b"), settings_of(ranks)); }

/// In nodes of 8, whose network limits the step.
RepeatableStep step_of(const StepTrace& trace, double scale = 1) {
  ComputeModel model{.device = load_device("h100")};
  model.scale = scale;
  Scene scene{.ranks = trace.ranks, .durations_us = durations_us(trace, model)};
  scene.contention = usual_contention;
  return repeatable(trace, std::move(scene), {.between = {6, 20}, .within = Link{5, 300}, .ranks_per_node = 8});
}

RepeatableStep step_at(const StepTrace& trace, double GBps) {
  auto step = step_of(trace);
  step.links.between.GBps = GBps;
  return step;
}

Explanation one_of(const Explanations& explanations, Cause cause) {
  for (const auto& each : explanations.all) {
    if (each.cause == cause) return each;
  }
  ADD_FAILURE() << key_of(cause) << " is missing";
  return {};
}

TEST(Explain, a_step_on_another_network_is_explained_by_its_bandwidth) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  for (const double GBps : {3.0, 12.0, 19.0, 31.0}) {
    const auto explained = explain(step, step_at(trace, GBps).time_s(), {}, {});
    EXPECT_NEAR(one_of(explained, Cause::bandwidth).needed.value() / GBps, 1, 0.01);
    EXPECT_EQ(one_of(explained, Cause::bandwidth).given, 20);
  }
}

TEST(Explain, a_step_on_a_slower_device_is_explained_by_the_scale_of_computation) {
  const auto trace = trace_of(32);
  const auto step = step_at(trace, 2000);
  for (const double scale : {0.8, 1.3, 4.0}) {
    auto other = step_of(trace, scale);
    other.links = step.links;
    const auto explained = explain(step, other.time_s(), {}, 0.66);
    EXPECT_NEAR(one_of(explained, Cause::computation).needed.value(), scale, 1e-4);
  }
}

TEST(Explain, time_outside_the_model_is_the_difference) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  const double predicted_s = step.time_s();
  const auto explained = explain(step, predicted_s + 0.125, {}, {});
  EXPECT_DOUBLE_EQ(explained.predicted_s, predicted_s);
  EXPECT_NEAR(one_of(explained, Cause::outside).needed.value(), 0.125, 1e-12);
  EXPECT_FALSE(one_of(explain(step, 0.9 * predicted_s, {}, {}), Cause::outside).needed);
}

TEST(Explain, the_predicted_time_needs_no_change) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  const auto explained = explain(step, step.time_s(), {}, {});
  for (const auto& each : explained.all) {
    ASSERT_TRUE(each.needed) << key_of(each.cause);
    EXPECT_NEAR(each.surprise, 0, 1e-6) << key_of(each.cause);
  }
}

TEST(Explain, no_network_makes_a_step_faster_than_the_ideal_one) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  const double measured_s = 0.95 * step.ideal_s();
  const auto explained = explain(step, measured_s, {}, 0.66);
  for (const auto cause : {Cause::bandwidth, Cause::within_bandwidth}) {
    EXPECT_FALSE(one_of(explained, cause).needed);
    EXPECT_GE(one_of(explained, cause).limit_s, step.ideal_s());
  }
  EXPECT_THAT(print(explained, step.links, "h100", 0.66), HasSubstr("no bandwidth explains it"));
}

TEST(Explain, no_device_exceeds_its_peak) {
  const auto trace = trace_of(32);
  const auto step = step_at(trace, 1e6);
  const auto explained = explain(step, 0.6 * step.time_s(), {}, 0.66);
  EXPECT_FALSE(one_of(explained, Cause::computation).needed);
  EXPECT_TRUE(one_of(explain(step, 0.6 * step.time_s(), {}, {}), Cause::computation).needed) << "without a peak";
}

TEST(Explain, links_that_the_step_does_not_use_explain_nothing) {
  const auto trace = trace_of(8);
  const auto step = step_of(trace);
  const auto explained = explain(step, 2 * step.time_s(), {}, {});
  EXPECT_FALSE(one_of(explained, Cause::bandwidth).needed);
  EXPECT_TRUE(one_of(explained, Cause::within_bandwidth).needed);
  EXPECT_THAT(print(explained, step.links, "", {}), HasSubstr("no bandwidth explains it: even with almost none"));
}

TEST(Explain, a_fitted_network_has_no_bandwidth_to_vary) {
  const auto trace = trace_of(32);
  auto step = step_of(trace);
  step.has_typed_links = false;
  step.links.within.reset();
  step.network_of = [](const Links&) { return std::make_unique<testing_support::ConstantNetwork>(100); };
  const auto explained = explain(step, 2 * step.time_s(), {}, {});
  ASSERT_EQ(explained.all.size(), 2U);
  EXPECT_TRUE(one_of(explained, Cause::computation).needed && one_of(explained, Cause::outside).needed);
}

Explanation needing(Cause cause, double given, double needed, double surprise) {
  return {.cause = cause, .given = given, .needed = needed, .surprise = surprise};
}

TEST(Likeliest, is_the_smallest_change_compared_with_the_typical_one) {
  Explanations explanations{.measured_s = 2, .predicted_s = 1, .interval_s = {}, .all = {}};
  EXPECT_EQ(likeliest(explanations), nullptr);
  explanations.all = {needing(Cause::bandwidth, 20, 5, 6.2),
                      needing(Cause::computation, 1, 1.4, 3.5),
                      needing(Cause::outside, 0, 1, 7.3),
                      {.cause = Cause::within_bandwidth, .needed = {}}};
  ASSERT_NE(likeliest(explanations), nullptr);
  EXPECT_EQ(likeliest(explanations)->cause, Cause::computation);
  explanations.interval_s = {0.9, 1.9};
  EXPECT_NE(likeliest(explanations), nullptr);
  explanations.interval_s = {0.9, 2.1};
  EXPECT_EQ(likeliest(explanations), nullptr) << "within the interval nothing needs to be explained";
  EXPECT_THAT(print(explanations, {.between = {1, 20}, .within = {}}, "", {}), HasSubstr("nothing needs"));
}

TEST(Likeliest, depends_on_what_limits_the_step_and_on_the_interval) {
  const auto trace = trace_of(32);
  const auto of_network = step_at(trace, 3);
  const Interval narrow{0.91, 1.1}, wide{0.84, 1.5};
  const auto cause_of = [](const RepeatableStep& step, double times, const Interval& factors) {
    const auto explained = explain(step, times * step.time_s(), factors, 0.66);
    return likeliest(explained)->cause;
  };
  EXPECT_EQ(cause_of(of_network, 1.6, narrow), Cause::bandwidth) << "nearly all of the step is communication";
  EXPECT_EQ(cause_of(step_at(trace, 2000), 1.6, wide), Cause::computation);
  // A standard deviation of the logarithm: nine of ten within 0.84 to 1.5.
  const auto computation = one_of(explain(of_network, 2 * of_network.time_s(), wide, 0.66), Cause::computation);
  EXPECT_NEAR(computation.typical, 1.193, 1e-3);
  EXPECT_NEAR(computation.usual, 1.122, 1e-3);
}

TEST(Likeliest, is_doubted_where_even_the_smallest_change_is_large) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  const auto text_for = [&](double times) {
    return print(explain(step, times * step.time_s(), {}, 0.66), step.links, "h100", 0.66);
  };
  EXPECT_THAT(text_for(8), HasSubstr("unlikely for a single cause"));
  EXPECT_THAT(text_for(1.05), Not(HasSubstr("unlikely for a single cause")));
  EXPECT_THAT(text_for(8), Not(HasSubstr("likeliest: none")));
}

TEST(SolveBandwidth, finds_the_smallest_that_reaches_the_speed) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  const double ideal_s = step.ideal_s();
  for (const double percent : {10.0, 40.0, 70.0}) {
    const auto solution = solve_bandwidth(step, percent);
    ASSERT_TRUE(solution.value) << percent;
    EXPECT_DOUBLE_EQ(solution.ideal_s, ideal_s);
    EXPECT_NEAR(100 * ideal_s / step_at(trace, *solution.value).time_s(), percent, 0.1);
    EXPECT_GE(solution.percent, percent);
    EXPECT_LT(100 * ideal_s / step_at(trace, 0.99 * *solution.value).time_s(), percent);
  }
}

TEST(SolveBandwidth, takes_any_where_the_step_stays_within_a_node) {
  const auto trace = trace_of(8);
  auto step = step_of(trace);
  step.links.within = Link{0, 1e6};
  const auto solution = solve_bandwidth(step, 90);
  EXPECT_EQ(solution.value, 0) << "the step does not depend on it";
  EXPECT_THAT(print(solution, step.links), HasSubstr("any bandwidth"));
}

TEST(SolveBandwidth, tells_what_unlimited_bandwidth_reaches) {
  const auto trace = trace_of(32);
  const auto step = step_of(trace);
  const auto solution = solve_bandwidth(step, 99.9);
  EXPECT_FALSE(solution.value);
  EXPECT_NEAR(solution.percent, 100 * step.ideal_s() / step_at(trace, unlimited_GBps).time_s(), 1e-9);
  EXPECT_THAT(print(solution, step.links), HasSubstr("no bandwidth"));
}

IdealAndTime at_ranks(int ranks) {
  const auto trace = generate_briefly(load_model("opt-1.3b"), settings_of(ranks));
  const auto step = step_at(trace, 200);
  return {step.ideal_s(), step.time_s()};
}

TEST(SolveRanks, finds_the_most_that_reach_the_speed) {
  const double percent = at_ranks(200).percent();
  const auto solution = solve_ranks(at_ranks, 8, percent);
  ASSERT_TRUE(solution.value);
  EXPECT_GE(*solution.value, 200);
  EXPECT_EQ(std::fmod(*solution.value, 8), 0);
  EXPECT_GE(at_ranks(static_cast<int>(*solution.value)).percent(), percent);
  EXPECT_LT(at_ranks(static_cast<int>(*solution.value) + 8).percent(), percent);
  EXPECT_DOUBLE_EQ(solution.next_percent.value(), at_ranks(static_cast<int>(*solution.value) + 8).percent());
}

TEST(SolveRanks, ends_with_one_unit_and_with_the_most_that_are_tried) {
  const auto never = solve_ranks(at_ranks, 8, 99.99);
  EXPECT_FALSE(never.value);
  EXPECT_DOUBLE_EQ(never.percent, at_ranks(8).percent());
  const auto always = solve_ranks([](int) { return IdealAndTime{1, 1}; }, 48, 90);
  EXPECT_EQ(always.value, most_ranks_solved / 48 * 48);
  EXPECT_FALSE(always.next_percent);
  EXPECT_THAT(print(always, {.between = {1, 20}, .within = {}}), HasSubstr("not tried"));
}

TEST(SolveRanks, of_steps_generated_briefly_have_the_times_of_whole_ones) {
  const auto whole = trace_of(64);
  const auto brief = generate_briefly(load_model("opt-1.3b"), settings_of(64));
  EXPECT_DOUBLE_EQ(step_of(whole).time_s(), step_of(brief).time_s());
}

TEST(Solution, prints_as_many_digits_as_tell_two_numbers_of_ranks_apart) {
  Solution solution{.what = Solve::ranks, .wanted_percent = 90, .value = 48368, .unit = 8};
  solution.percent = 90.0003;
  solution.next_percent = 89.9996;
  EXPECT_THAT(print(solution, {}), HasSubstr("90.0003 %; 48376 reach 89.9996 %"));
  solution.next_percent = 90.0003;
  EXPECT_THAT(print(solution, {}), HasSubstr("48376 just miss it"));
}

TEST(Backwards, asks_steps_with_roles_the_same) {
  const auto trace = testing_support::small_roles(testing_support::tensors_and_pipeline, 8);
  const ComputeModel model{.device = load_device("h100")};
  const Links links{.between = {6, 0.5}, .within = Link{5, 300}, .ranks_per_node = 2};
  const auto step = repeatable(trace, usual_scene(trace, model, links.ranks_per_node), links);
  const auto solution = solve_bandwidth(step, 100 * step.ideal_s() / step.time_s());
  EXPECT_NEAR(solution.value.value() / links.between.GBps, 1, 0.01);
  const auto explained = explain(step, step.time_s(links, 2), {}, {});
  EXPECT_NEAR(one_of(explained, Cause::computation).needed.value(), 2, 1e-3);
}

}  // namespace
}  // namespace ringmark::replay
