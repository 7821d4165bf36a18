#include "replay/predict/network.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/generate/trace_builder.hpp"
#include "replay/predict/simulate.hpp"
#include "tests/replay/predict/constant_network.hpp"

namespace ringmark::replay {
namespace {

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
  EXPECT_THAT(network->assumptions(),
              testing::ElementsAre(testing::_, testing::_,
                                   testing::HasSubstr("all_reduce by ring: 10.0 us per step, 1.00 GB/s")));
  network->time(of(Collective::all_to_all, 1'000'000), Group{}, 16);
  const auto text = fmt::format("{}", fmt::join(network->assumptions(), "\n"));
  EXPECT_THAT(text, testing::HasSubstr("all_to_all: not measured"));
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
              testing::AllOf(testing::HasSubstr("64K"), testing::HasSubstr("measured over verbs")));
  fit.bursts.push_back({model.transport, model.network, 0, 1});
  EXPECT_EQ(make_network(fit, {})->burst_us(), 0);
  EXPECT_THAT(make_network(fit, {})->assumptions().at(1), testing::HasSubstr("after idling"));
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

TEST(Fits, of_several_settings_are_not_mixed) {
  auto fit = fit_of("all_reduce", "tcp", 10, 1);
  auto tuned = fit_of("all_gather", "tcp", 1, 10).models.front();
  tuned.settings = "tcp.sockets=4";
  fit.models.push_back(tuned);
  const auto network = make_network(fit, {});
  EXPECT_THAT(network->assumptions().front(), testing::HasSubstr("--fit-settings can choose others: tcp.sockets=4"));
  EXPECT_NEAR(network->time(of(Collective::all_gather, 1'000'000), Group{}, 4).total_us, 30 + 750, 1e-6)
      << "from the all_reduce that was measured alike";
  EXPECT_NEAR(
      make_network(fit, {"", "", "tcp.sockets=4"})->time(of(Collective::all_gather, 1'000'000), Group{}, 4).total_us,
      3 + 75, 1e-6);
  fit.models.front().settings = "tcp.sockets=2";
  EXPECT_THROW(make_network(fit, {}), BadUsage);
  EXPECT_THROW(make_network(fit, {"", "", "tcp.sockets=8"}), BadUsage);
}

TEST(Fits, lend_what_was_not_measured_the_same_figures_in_any_order) {
  auto fit = fit_of("all_reduce", "tcp", 10, 1);
  auto doubling = fit_of("all_reduce", "tcp", 70, 0.1).models.front();
  doubling.algorithm = "recursive_doubling";
  fit.models.push_back(doubling);
  const auto all_to_all_us = [&] {
    return make_network(fit, {})->time(of(Collective::all_to_all, 1'000'000), Group{}, 4).total_us;
  };
  const double before = all_to_all_us();
  std::reverse(fit.models.begin(), fit.models.end());
  EXPECT_EQ(all_to_all_us(), before);
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

TEST(NodeNetwork, has_faster_links_for_groups_within_nodes) {
  const auto network = make_network(std::make_unique<testing_support::ConstantNetwork>(1e6), Link{1, 100}, 4);
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

}  // namespace
}  // namespace ringmark::replay
