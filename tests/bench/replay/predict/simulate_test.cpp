#include "bench/replay/predict/simulate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/replay/generate/generate.hpp"
#include "bench/replay/generate/trace_builder.hpp"
#include "bench/replay/model/model_file.hpp"
#include "bench/replay/step/compute_model.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;

/// Every collective takes 100 us. A fake, so that times can be told by hand.
class HundredMicroseconds final : public Network {
 public:
  CollectiveTime time(const Event&, const Group&, int) override { return {100, 100}; }
  double burst_us() const override { return 0; }
  std::vector<std::string> assumptions() const override { return {}; }
};

/// As above, but 20 us of it without data; links that have rested save up to so many. A fake.
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
  HundredMicroseconds network;
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

TEST(VirtualTime, waits_for_the_slowest_rank) {
  EXPECT_DOUBLE_EQ(simulated(buckets(Overlap::none), {{2, 3}}).total_us, 3 * 150 + 300);
  StepTrace trace = buckets(Overlap::none);
  std::vector<double> durations(trace.events.size(), 0);
  durations[0] = 50;
  HundredMicroseconds network;
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
  HundredMicroseconds network;
  auto simulation = simulate(trace, {4, {50, 0}, {{3, 2}}}, network);
  std::sort(simulation.total_us.begin(), simulation.total_us.end());
  EXPECT_THAT(simulation.total_us, ElementsAre(150, 200, 200));  // one of the first node stands for both
}

TEST(VirtualTime, repeats_itself_by_seed) {
  const auto trace = buckets(Overlap::ideal);
  const std::vector<double> durations(trace.events.size(), 10);
  HundredMicroseconds network;
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

/// What a micro-step's end waits for belongs to its backward pass; what is no collective is no communication.
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
  HundredMicroseconds network;
  const auto times = times_of(trace, simulate(trace, {4, {50, 80, 0, 0, 50}}, network).timeline);
  EXPECT_DOUBLE_EQ(times.total_us, 80 + 100 + 50);
  EXPECT_DOUBLE_EQ(times.phases[static_cast<std::size_t>(Phase::backward)].exposed_us, 100);
  EXPECT_DOUBLE_EQ(times.phases[static_cast<std::size_t>(Phase::forward)].exposed_us, 0);
  EXPECT_DOUBLE_EQ(times.micro_steps[0].computation_us, 80);
}

Event of(Collective collective, std::uint64_t elements) {
  Event event;
  event.kind = EventKind::collective;
  event.collective = collective;
  event.elements = elements;
  event.type = DataType::uint8;
  return event;
}

TEST(Links, cost_what_the_schedule_costs) {
  const auto network = make_network(Links{{10, 1}, std::nullopt, 1});
  const Group world;
  // A ring of 4 over a megabyte: 6 steps, a quarter each, at a nanosecond a byte.
  EXPECT_NEAR(network->time(of(Collective::all_reduce, 1'000'000), world, 4).total_us, 60 + 1.5 * 1000, 1e-6);
  EXPECT_NEAR(network->time(of(Collective::all_gather, 1'000'000), world, 4).total_us, 30 + 0.75 * 1000, 1e-6);
  EXPECT_EQ(network->time(of(Collective::all_reduce, 1'000'000), world, 1).total_us, 0);
}

TEST(Links, of_nodes_are_used_within_and_between) {
  const auto network = make_network(Links{{10, 1}, Link{1, 100}, 4});
  const auto event = of(Collective::all_reduce, 100'000'000);
  const double within = network->time(event, {"node", Group::Kind::block, 4}, 8).total_us;
  EXPECT_NEAR(within, 6 + 1.5 * 1000, 1);
  const double all = network->time(event, Group{}, 8).total_us;
  EXPECT_GT(all, 100'000);  // the bytes that have to leave a node, at 1 GB/s
  EXPECT_LT(all, 180'000);  // but not those that stay within it
  const double across = network->time(event, {"xnode", Group::Kind::stride, 4}, 8).total_us;
  EXPECT_NEAR(across, 4 * 100'000, 100);  // four of these groups share a node's link
}

Fit fit_of(const char* collective, const char* network, double alpha_us, double GBps) {
  FitModel model;
  model.transport = "tcp";
  model.network = network;
  model.collective = collective;
  model.datatype = "uint8";
  model.algorithm = "ring";
  model.segments = {{1, 1e9, alpha_us, 1e-3 / GBps, {}, {}, 0, 10}};
  model.from_bytes = 1024;
  model.to_bytes = 1 << 20;
  model.ranks = {4};
  return {{model}};
}

TEST(Fits, predict_what_they_have_and_say_what_they_lack) {
  const auto network = make_network(fit_of("all_reduce", "tcp", 10, 1), {});
  EXPECT_NEAR(network->time(of(Collective::all_reduce, 1'000'000), Group{}, 4).total_us, 60 + 1500, 1e-6);
  EXPECT_EQ(network->assumptions().size(), 2U);
  network->time(of(Collective::all_to_all, 1'000'000), Group{}, 16);
  const auto text = fmt::format("{}", fmt::join(network->assumptions(), "\n"));
  EXPECT_THAT(text, testing::HasSubstr("all_to_all: was not measured"));
  network->time(of(Collective::all_reduce, 1'000'000), Group{}, 64);
  EXPECT_THAT(fmt::format("{}", fmt::join(network->assumptions(), "\n")), testing::HasSubstr("64 ranks (measured: 4)"));
}

TEST(Fits, know_the_burst_of_their_network_whoever_measured_it) {
  auto fit = fit_of("all_reduce", "tcp", 10, 1);
  EXPECT_EQ(make_network(fit, {})->burst_us(), 0);
  const auto& model = fit.models[0];
  fit.bursts = {{"verbs", model.network, 65536, 0.5}, {"tcp", "another", 1e9, 1}};
  const auto network = make_network(fit, {});
  EXPECT_DOUBLE_EQ(network->burst_us(), 131.072);
  EXPECT_THAT(network->assumptions().at(1),
              testing::HasSubstr("64K through at once after they have rested, as measured over verbs"));
  fit.bursts.push_back({model.transport, model.network, 0, 1});
  EXPECT_EQ(make_network(fit, {})->burst_us(), 0);
  EXPECT_THAT(make_network(fit, {})->assumptions().at(1), testing::HasSubstr("no faster, as measured"));
  EXPECT_NEAR(network->time(of(Collective::all_reduce, 1'000'000), Group{}, 4).bytes_us, 1500, 1e-6);
}

TEST(Links, know_their_burst_and_what_bytes_take) {
  const auto network = make_network(Links{.between = {10, 0.125}, .within = {}, .burst_bytes = 131072});
  EXPECT_DOUBLE_EQ(network->burst_us(), 1048.576);
  const auto time = network->time(of(Collective::all_reduce, 1'000'000), Group{}, 4);
  EXPECT_NEAR(time.bytes_us, 1'500'000 / 125.0, 100);
  EXPECT_GT(time.total_us, time.bytes_us);
}

TEST(Fits, of_several_networks_want_a_choice) {
  auto fit = fit_of("all_reduce", "tcp", 10, 1);
  fit.models.push_back(fit_of("all_reduce", "roce", 1, 10).models.front());
  EXPECT_THROW(make_network(fit, {}), BadUsage);
  EXPECT_NEAR(make_network(fit, {"", "roce"})->time(of(Collective::all_reduce, 1'000'000), Group{}, 4).total_us, 156,
              1e-6);
  EXPECT_THROW(make_network(fit, {"verbs", ""}), BadUsage);
}

TEST(Fits, of_short_vectors_say_nothing_of_long_ones) {
  Fit fit;
  FitModel ring;
  ring.transport = "tcp", ring.collective = "all_reduce", ring.algorithm = "ring", ring.datatype = "float32";
  ring.ranks = {4}, ring.from_bytes = 65536, ring.to_bytes = 64U << 20U;
  ring.segments = {{.from_message_bytes = 1e3, .to_message_bytes = 1e8, .alpha_us = 100, .beta_us_per_byte = 0.01}};
  auto doubling = ring;
  doubling.algorithm = "recursive_doubling", doubling.from_bytes = 4, doubling.to_bytes = 16384;
  doubling.segments = {{.from_message_bytes = 4, .to_message_bytes = 1e4, .alpha_us = 20, .beta_us_per_byte = 0.0001}};
  fit.models = {doubling, ring};
  Event event;
  event.collective = Collective::all_reduce;
  event.elements = 250'000'000;
  event.type = DataType::bfloat16;
  const auto network = make_network(fit, {});
  EXPECT_NEAR(network->time(event, {}, 4).total_us, 1.5 * 5e8 * 0.01 + 600, 1) << "ring";
  EXPECT_THAT(network->assumptions(),
              testing::Contains(testing::HasSubstr("all_reduce by ring: up to 500000000 (measured: 64K to 64M)")));
  event.elements = 1000;
  EXPECT_LT(network->time(event, {}, 4).total_us, 100) << "doubling";
}

TEST(Prediction, of_the_largest_model_is_of_one_kind_of_rank) {
  StepSettings settings;
  settings.zero_stage = 3;
  settings.overlap_comm = true;
  settings.ranks = 4096;
  const auto trace = generate(load_model("llama2-70b"), settings);
  ComputeModel model{load_device("h100"), {}, {}, {}, 1};
  const auto network = make_network(Links{{6, 50}, std::nullopt, 1});
  const auto simulation = simulate(trace, {4096, durations_us(trace, model)}, *network);
  const auto times = times_of(trace, simulation.timeline);
  EXPECT_EQ(simulation.total_us.size(), 1U);
  EXPECT_NEAR(times.whole().computation_us + times.whole().exposed_us, times.total_us, 1e-6 * times.total_us);
  // 6 operations per parameter and token, but for the embedding, and attention.
  EXPECT_NEAR(times.whole().computation_us, 6 * 68.7e9 * 2048 / (989e6 * 0.4), 0.05 * times.whole().computation_us);
}

/// A network on which everything takes as long as it is told.
struct Constant final : Network {
  explicit Constant(double us) : us_(us) {}
  CollectiveTime time(const Event& /*event*/, const Group& /*group*/, int /*ranks*/) override { return {us_, 0}; }
  double burst_us() const override { return 0; }
  std::vector<std::string> assumptions() const override { return {}; }
  double us_;
};

TEST(NodeNetwork, has_faster_links_for_groups_within_nodes) {
  const auto network = make_network(std::make_unique<Constant>(1e6), Link{1, 100}, 4);
  Event event;
  event.collective = Collective::all_reduce;
  event.elements = 1000;
  const auto time_us = [&](Group::Kind kind, int width, int ranks) {
    return network->time(event, {"g", kind, width}, ranks).total_us;
  };
  EXPECT_LT(time_us(Group::Kind::block, 4, 16), 100);
  EXPECT_EQ(time_us(Group::Kind::block, 8, 16), 1e6) << "of two nodes";
  EXPECT_EQ(time_us(Group::Kind::stride, 4, 16), 1e6);
  EXPECT_EQ(time_us(Group::Kind::world, 1, 16), 1e6);
  EXPECT_LT(time_us(Group::Kind::world, 1, 4), 100) << "all in one node";
}

TEST(NodeNetwork, has_the_nodes_link_shared_by_groups_of_every_nth_rank) {
  const Link between{6, 50}, within{2, 400};
  const auto flat = make_network(make_network(Links{.between = between, .within = {}}), within, 8);
  const auto nodes = make_network(Links{.between = between, .within = within, .ranks_per_node = 8});
  Event event;
  event.collective = Collective::all_reduce;
  event.elements = 1'000'000'000;
  event.type = DataType::uint8;
  const Group group{"cross", Group::Kind::stride, 8};
  EXPECT_NEAR(flat->time(event, group, 32).total_us / nodes->time(event, group, 32).total_us, 1, 0.001);
}

TEST(NodeNetwork, lets_bursts_through_between_nodes_alone) {
  StepTrace trace;
  trace.ranks = 4;
  TraceBuilder builder(trace);
  const int node = builder.group({"node", Group::Kind::block, 2});
  builder.at(Phase::forward, 0);
  for (int i = 0; i < 3; ++i) {
    builder.compute(1, 0, "computes");
    builder.collective({.collective = Collective::all_gather, .elements = 4'000'000, .group = node});
  }
  const auto total_us = [&](double burst_bytes) {
    const auto network = make_network(
        make_network(Links{.between = {10, 0.125}, .within = {}, .burst_bytes = burst_bytes}), Link{1, 10}, 2);
    const Scene scene{.ranks = 4, .durations_us = std::vector<double>(trace.events.size(), 1000), .slow_down = {}};
    return simulate(trace, scene, *network).timeline.total_us;
  };
  EXPECT_DOUBLE_EQ(total_us(1e6), total_us(0));
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
  Constant network(10);
  const auto times = times_of(trace, simulate(trace, {8, durations, {}, 1.0}, network).timeline);
  EXPECT_GT(times.whole().exposed_us, 50 * 10 * 2) << "what others take longer is waited for";
  EXPECT_NEAR(times.whole().computation_us + times.whole().exposed_us, times.total_us, 1e-6);
}

}  // namespace
}  // namespace ringmark::replay
