#include "replay/predict/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/generate/generate.hpp"
#include "replay/generate/trace_builder.hpp"
#include "replay/model/model_file.hpp"
#include "replay/step/compute_model.hpp"
#include "tests/replay/predict/constant_network.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing_support::ConstantNetwork;

/// Every collective takes 100 us, 20 of it without data; links that have rested save up to so many. A fake.
class Rested final : public Network {
 public:
  explicit Rested(double burst_us) : burst_us_(burst_us) {}
  CollectiveTime time(const Event& event, const Group&, int) override {
    return event.elements > 4 ? CollectiveTime{100, 80} : CollectiveTime{20, 0};
  }
  double burst_us() const override { return burst_us_; }
  std::vector<std::string> assumptions() const override { return {}; }

 private:
  double burst_us_;
};

/// Three times: 50 us of computation, then a bucket; the last one is awaited.
StepTrace buckets(Overlap overlap) {
  StepTrace trace;
  TraceBuilder builder(trace);
  const int red = overlap == Overlap::none ? 0 : builder.stream("red");
  builder.at(Phase::backward, 0);
  int before = -1;
  for (int i = 0; i < 3; ++i) {
    builder.compute(1, 0, "gradients");
    const int call =
        builder.collective({.elements = 8, .stream = red, .is_async = red != 0, .after = {builder.last(0)}});
    if (overlap == Overlap::depth1) builder.wait(0, {before});
    before = call;
  }
  builder.wait(0, {before});
  return trace;
}

StepTimes simulated(const StepTrace& trace, std::map<int, double> slow_down = {}) {
  std::vector<double> durations(trace.events.size());
  for (std::size_t i = 0; i < durations.size(); ++i) durations[i] = trace.events[i].kind == EventKind::compute ? 50 : 0;
  ConstantNetwork network(100, 100);
  return times_of(trace, simulate(trace, {4, durations, std::move(slow_down)}, network).timeline);
}

TEST(VirtualTime, hides_what_the_streams_allow) {
  const auto none = simulated(buckets(Overlap::none));
  EXPECT_DOUBLE_EQ(none.total_us, 450);
  EXPECT_DOUBLE_EQ(none.whole().exposed_us, 300);
  EXPECT_DOUBLE_EQ(none.whole().hidden_us, 0);
  const auto ideal = simulated(buckets(Overlap::ideal));
  EXPECT_DOUBLE_EQ(ideal.total_us, 50 + 3 * 100);
  EXPECT_DOUBLE_EQ(ideal.whole().exposed_us, 200);
  EXPECT_DOUBLE_EQ(ideal.whole().hidden_us, 100);
  // The third piece of computation waits for the first bucket, at 150, and that is all that it loses.
  const auto depth1 = simulated(buckets(Overlap::depth1));
  EXPECT_DOUBLE_EQ(depth1.total_us, 350);
  EXPECT_DOUBLE_EQ(depth1.whole().computation_us + depth1.whole().exposed_us, depth1.total_us);
}

TEST(VirtualTime, communication_slows_the_computation_beside_it) {
  const auto trace = buckets(Overlap::ideal);
  std::vector<double> durations(trace.events.size());
  for (std::size_t i = 0; i < durations.size(); ++i)
    durations[i] = trace.events[i].kind == EventKind::compute ? 150 : 0;
  ConstantNetwork network(100, 100);
  Scene scene{4, durations};
  EXPECT_DOUBLE_EQ(simulate(trace, scene, network).timeline.total_us, 3 * 150 + 100);
  scene.contention = 0.5;  // the second and the third computation run beside 100 us each
  EXPECT_DOUBLE_EQ(simulate(trace, scene, network).timeline.total_us, 150 + 2 * (150 + 50) + 100);
}

TEST(VirtualTime, waits_for_the_slowest_rank) {
  EXPECT_DOUBLE_EQ(simulated(buckets(Overlap::none), {{2, 3}}).total_us, 3 * 150 + 300);
  StepTrace trace = buckets(Overlap::none);
  std::vector<double> durations(trace.events.size(), 0);
  durations[0] = 50;
  ConstantNetwork network(100, 100);
  const auto simulation = simulate(trace, {4096, durations, {{17, 1.2}}}, network);
  EXPECT_EQ(simulation.slowest_rank, 17);
  EXPECT_DOUBLE_EQ(times_of(trace, simulation.timeline).whole().computation_us, 60);
  EXPECT_EQ(simulation.total_us.size(), 2U);  // kinds of ranks, not ranks
  EXPECT_NEAR(simulation.entry_skew_us, 10.0 / 3, 1e-9);
}

TEST(VirtualTime, links_that_rested_are_faster) {
  const auto total = [](Overlap overlap, double burst_us) {
    const auto trace = buckets(overlap);
    std::vector<double> durations(trace.events.size());
    for (std::size_t i = 0; i < durations.size(); ++i)
      durations[i] = trace.events[i].kind == EventKind::compute ? 50 : 0;
    Rested network(burst_us);
    return simulate(trace, {4, durations}, network).timeline.total_us;
  };
  EXPECT_DOUBLE_EQ(total(Overlap::none, 0), 450);
  EXPECT_DOUBLE_EQ(total(Overlap::none, 30), 450 - 3 * 30);
  EXPECT_DOUBLE_EQ(total(Overlap::none, 1000), 450 - 3 * 50) << "they rested for 50 us each time";
  EXPECT_DOUBLE_EQ(total(Overlap::ideal, 30), 350 - 30) << "the second and third bucket follow the one before";
}

TEST(VirtualTime, what_carries_little_data_gains_little_and_leaves_the_rest) {
  StepTrace trace;
  TraceBuilder builder(trace);
  builder.compute(1, 0, "a");
  builder.collective({.elements = 4});
  builder.collective({.elements = 8});
  Rested network(90);
  // 80 us of the second one are for data.
  EXPECT_DOUBLE_EQ(simulate(trace, {4, {500, 0, 0}}, network).timeline.total_us, 500 + 20 + 100 - 80);
}

TEST(VirtualTime, links_rest_between_steps_too) {
  StepTrace trace;
  TraceBuilder builder(trace);
  builder.collective({.elements = 8});
  builder.compute(1, 0, "a");
  Rested network(30);
  EXPECT_DOUBLE_EQ(simulate(trace, {4, {0, 50}}, network).timeline.total_us, 100 - 30 + 50);
}

TEST(VirtualTime, what_a_step_leaves_saved_the_next_one_has) {
  StepTrace trace;
  TraceBuilder builder(trace);
  builder.collective({.elements = 8});
  builder.compute(1, 0, "a");
  builder.collective({.elements = 4});
  Rested network(60);
  EXPECT_DOUBLE_EQ(simulate(trace, {4, {0, 500, 0}}, network).timeline.total_us, 100 - 60 + 500 + 20);
}

TEST(VirtualTime, keeps_groups_apart) {
  StepTrace trace;
  trace.ranks = 4;
  TraceBuilder builder(trace);
  const int node = builder.group({"node", Group::Kind::block, 2});
  builder.compute(1, 0, "work");
  builder.collective({.elements = 8, .group = node});
  ConstantNetwork network(100, 100);
  auto simulation = simulate(trace, {4, {50, 0}, {{3, 2}}}, network);
  std::sort(simulation.total_us.begin(), simulation.total_us.end());
  EXPECT_THAT(simulation.total_us, ElementsAre(150, 200, 200));  // one of the first node stands for both
}

TEST(VirtualTime, repeats_itself_by_seed) {
  const auto trace = buckets(Overlap::ideal);
  const std::vector<double> durations(trace.events.size(), 10);
  ConstantNetwork network(100, 100);
  const auto total = [&](std::uint64_t seed) {
    return simulate(trace, {16, durations, {}, 0.2, seed}, network).timeline.total_us;
  };
  EXPECT_EQ(total(1), total(1));
  EXPECT_NE(total(1), total(2));
  EXPECT_GT(total(1), 310);
}

TEST(HostSync, holds_up_all_streams) {
  StepTrace trace;
  TraceBuilder builder(trace);
  const int red = builder.stream("red");
  builder.compute(1, 0, "a");
  const int call = builder.collective({.elements = 8, .stream = red});
  builder.host_sync({call});
  builder.compute(1, 0, "b");
  EXPECT_DOUBLE_EQ(simulated(trace).total_us, 150);
}

/// Waiting at the end of a micro-step belongs to its backward pass; only collectives count as communication.
TEST(Exposed, is_told_where_it_is_waited_for) {
  StepTrace trace;
  trace.micro_steps = 2;
  TraceBuilder builder(trace);
  const int red = builder.stream("red");
  builder.at(Phase::backward, 0);
  builder.compute(1, 0, "gradients");
  builder.copy(red, 1, "flatten");
  builder.collective({.elements = 8, .stream = red, .after = {builder.last(0)}});
  builder.host_sync({builder.last(red)});
  builder.at(Phase::forward, 1);
  builder.compute(1, 0, "next");
  ConstantNetwork network(100, 100);
  const auto times = times_of(trace, simulate(trace, {4, {50, 80, 0, 0, 50}}, network).timeline);
  EXPECT_DOUBLE_EQ(times.total_us, 80 + 100 + 50);
  EXPECT_DOUBLE_EQ(times.phases[static_cast<std::size_t>(Phase::backward)].exposed_us, 100);
  EXPECT_DOUBLE_EQ(times.phases[static_cast<std::size_t>(Phase::forward)].exposed_us, 0);
  EXPECT_DOUBLE_EQ(times.micro_steps[0].computation_us, 80);
}

TEST(Prediction, of_the_largest_model_is_of_one_kind_of_rank) {
  StepSettings settings;
  settings.zero_stage = 3;
  settings.overlap_comm = true;
  settings.ranks = 4096;
  const auto trace = generate(load_model("llama2-70b"), settings);
  ComputeModel model{load_device("h100"), {}, {}, {}, 1};
  model.device.efficiency = 0.4;
  const auto network = make_network(Links{{6, 50}, std::nullopt, 1});
  const auto simulation = simulate(trace, {4096, durations_us(trace, model)}, *network);
  const auto times = times_of(trace, simulation.timeline);
  EXPECT_EQ(simulation.total_us.size(), 1U);
  EXPECT_NEAR(times.whole().computation_us + times.whole().exposed_us, times.total_us, 1e-6 * times.total_us);
  // 6 operations per parameter and token, but for the embedding, and attention.
  EXPECT_NEAR(times.whole().computation_us, 6 * 68.7e9 * 2048 / (989e6 * 0.4), 0.05 * times.whole().computation_us);
}

// A rank's wait for the others is a part of the collective, live as predicted.
TEST(VirtualTime, waiting_for_others_is_no_computation) {
  StepTrace trace;
  trace.ranks = 8;
  TraceBuilder builder(trace);
  builder.restart();
  for (int i = 0; i < 50; ++i) {
    builder.compute(1, 0, "c");
    builder.collective({.elements = 8});
  }
  std::vector<double> durations(trace.events.size());
  for (std::size_t i = 0; i < durations.size(); ++i)
    durations[i] = trace.events[i].kind == EventKind::compute ? 100 : 0;
  ConstantNetwork network(10);
  const auto times = times_of(trace, simulate(trace, {8, durations, {}, 1.0}, network).timeline);
  EXPECT_GT(times.whole().exposed_us, 50 * 10 * 2) << "what others take longer is waited for";
  EXPECT_NEAR(times.whole().computation_us + times.whole().exposed_us, times.total_us, 1e-6);
}

}  // namespace
}  // namespace ringmark::replay
