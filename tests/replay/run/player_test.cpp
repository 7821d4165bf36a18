#include "replay/run/player.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/trace_builder.hpp"
#include "replay/model/model_file.hpp"
#include "replay/step/step_graph.hpp"
#include "replay/trace/rank_steps.hpp"
#include "tests/replay/role_fixture.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"

namespace ringmark::replay {
namespace {

using namespace std::chrono_literals;

/// A transport that takes no time, or never ends: a fake, so that intervals and failures can be told.
class NullCommunicator final : public Communicator {
 public:
  explicit NullCommunicator(bool ends, int* looks = nullptr) : ends_(ends), looks_(looks) {}
  std::string_view backend() const override { return "null"; }
  int rank() const override { return 0; }
  int size() const override { return 4; }
  Memory& memory() const override { return host_memory(); }
  std::optional<std::string> why_unsupported(const Operation&, bool) const override { return std::nullopt; }
  Choice choice_for(const Operation& /*operation*/, bool /*in_place*/) const override { return {}; }
  void keep(std::span<std::byte>) override {}
  void forget(std::span<std::byte>) override {}
  Ticket start(const Operation&, Buffers) override { return {++started_}; }
  bool test(Ticket) override { return ends_; }
  void wait(Ticket, Clock::duration) override {
    if (!ends_) throw TimedOut("the peer did not answer");
  }
  void progress() override {
    if (looks_ != nullptr) ++*looks_;
  }
  void run(const Operation&, Buffers, Clock::duration) override {}
  std::unique_ptr<Communicator> split(std::span<const int>, Deadline) override {
    return std::make_unique<NullCommunicator>(ends_);
  }

 private:
  bool ends_;
  int* looks_;  ///< after the network
  std::uint64_t started_ = 0;
};

StepTrace step(int stage, Overlap overlap, int ranks) {
  StepSettings settings;
  settings.zero_stage = stage;
  settings.overlap_comm = true;
  settings.overlap = overlap;
  settings.ranks = ranks;
  settings.micro_steps = 2;
  settings.reduce_bucket = 400'000;
  settings.persistence_threshold = 1000;
  settings.prefetch_bucket = 200'000;
  settings.max_reuse_distance = 0;
  return generate(load_model(std::string(RINGMARK_REPLAY_FILES) + "/llama4.model.json"), settings);
}

std::vector<double> durations(const StepTrace& trace) {
  std::vector<double> result(trace.events.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = trace.events[i].kind == EventKind::compute ? 20 : 0;
  return result;
}

void expect_in_order(const StepTrace& trace, const Timeline& line) {
  const auto graph = graph_of(trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    for (const int before : graph.before[i])
      ASSERT_GE(line.begin_us[i], line.end_us[static_cast<std::size_t>(before)]) << "event " << i;
    ASSERT_GE(line.end_us[i], line.begin_us[i]);
  }
}

class PlayerComputeMode : public testing::TestWithParam<ComputeMode> {};

TEST_P(PlayerComputeMode, plays_intervals_exactly_and_in_order) {
  const auto trace = step(3, Overlap::ideal, 4);
  Channels channels(trace, std::make_unique<NullCommunicator>(true), Deadline::after(10s));
  const auto wanted = durations(trace);
  Player player(trace, channels, wanted, GetParam(), 10s);
  for (int i = 0; i < 3; ++i) {
    const auto line = player.play();
    expect_in_order(trace, line);
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      if (trace.events[e].kind == EventKind::compute) {
        EXPECT_NEAR(line.end_us[e] - line.begin_us[e], wanted[e], 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, PlayerComputeMode, testing::Values(ComputeMode::busy, ComputeMode::asleep));

TEST(Player, gives_up_when_nothing_ends) {
  const auto trace = step(2, Overlap::depth1, 4);
  Channels channels(trace, std::make_unique<NullCommunicator>(false), Deadline::after(10s));
  Player player(trace, channels, durations(trace), ComputeMode::busy, 50ms);
  EXPECT_THROW(player.play(), TimedOut);
}

TEST(Player, keeps_the_order_of_collectives_of_different_communicators_where_asked) {
  StepTrace trace;
  trace.ranks = 4;
  TraceBuilder builder(trace);
  const int beside = builder.stream("beside");
  const int pairs = builder.group({"pairs", Group::Kind::block, 2});
  builder.compute(1, 0, "first");
  const int late = builder.collective({.elements = 4, .tag = "late"});
  const int early = builder.collective({.elements = 4, .stream = beside, .group = pairs, .tag = "early"});
  const std::vector<double> durations_us{5000, 0, 0};
  const auto begins = [&](bool keeps_order) {
    Channels channels(trace, std::make_unique<NullCommunicator>(true), Deadline::after(10s));
    Player player(trace, channels, durations_us, ComputeMode::busy, 10s, nullptr, keeps_order);
    player.play();
    const auto line = player.play();
    return std::pair(line.begin_us[static_cast<std::size_t>(late)], line.begin_us[static_cast<std::size_t>(early)]);
  };
  const auto [late_us, early_us] = begins(false);
  EXPECT_LT(early_us, late_us) << "it waits for nothing";
  const auto [first_us, second_us] = begins(true);
  EXPECT_GE(first_us, 5000);
  EXPECT_GE(second_us, first_us);
}

TEST(Player, sleeps_through_short_computations_up_to_the_next_collective) {
  StepTrace trace;
  trace.ranks = 4;
  TraceBuilder builder(trace);
  for (int i = 0; i < 1000; ++i) builder.compute(1, 0, "short");
  builder.collective({.elements = 4});
  builder.compute(1, 0, "behind");
  int looks = 0;
  Channels channels(trace, std::make_unique<NullCommunicator>(true, &looks), Deadline::after(10s));
  Player player(trace, channels, durations(trace), ComputeMode::asleep, 10s);
  const auto line = player.play();
  EXPECT_GE(line.begin_us[1000], 20'000);
  EXPECT_GE(looks, 1) << "it slept";
  EXPECT_LT(looks, 500) << "and not by the interval";
}

TEST(Player, stands_a_long_chain_of_waits) {
  StepTrace trace;
  TraceBuilder builder(trace);
  builder.compute(1, 0, "start");
  for (int i = 0; i < 200'000; ++i) builder.wait(0, {builder.last(0)});
  Channels channels(trace, std::make_unique<NullCommunicator>(true), Deadline::after(10s));
  Player player(trace, channels, durations(trace), ComputeMode::busy, 10s);
  EXPECT_EQ(player.play().end_us.back(), 20);
}

/// All ranks of a step over the in-memory fabric, in threads. `trace_of` makes a rank's step.
template <class TraceOf>
void play_on_each(int ranks, const TraceOf& trace_of) {
  const auto network = MemoryNetwork::create(ranks);
  std::vector<std::thread> threads;
  std::atomic<int> done = 0, wrong = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      auto world = std::make_unique<ScheduleCommunicator>("memory", network->fabric(rank), Topology::flat(ranks),
                                                          ScheduleOptions{"auto", 128 << 10, 20s});
      const StepTrace trace = trace_of(rank);
      Channels channels(trace, std::move(world), Deadline::after(20s));
      channels.connect(20s);
      wrong += static_cast<int>(channels.prepare(true, 20s));
      Player player(trace, channels, durations(trace), ComputeMode::asleep, 20s);
      for (int i = 0; i < 2; ++i) {
        const auto line = player.play();
        expect_in_order(trace, line);
      }
      ++done;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, ranks);
  EXPECT_EQ(wrong, 0);
}

void play_everywhere(const StepTrace& trace, int ranks) {
  play_on_each(ranks, [&](int /*rank*/) { return trace; });
}

void play_roles(const RoleTrace& trace) {
  std::vector<std::vector<double>> durations_us;
  for (const auto& pass : trace.passes) durations_us.emplace_back(pass.events.size());
  const RankSteps steps(trace, durations_us);
  play_on_each(trace.ranks, [&](int rank) { return steps.of(rank).trace; });
}

TEST(RealCollectives, of_every_stage_come_out_right) {
  for (const int stage : {0, 1, 2, 3}) play_everywhere(step(stage, stage == 0 ? Overlap::none : Overlap::ideal, 3), 3);
}

TEST(RealCollectives, of_groups_within_and_across_nodes) {
  StepSettings settings;
  settings.zero_stage = 3;
  settings.ranks = 4;
  settings.ranks_per_node = 2;
  settings.secondary_partition = 2;
  settings.quantized_weights = settings.quantized_gradients = true;
  settings.reduce_bucket = 400'000;
  settings.persistence_threshold = 1000;
  settings.max_reuse_distance = 0;
  play_everywhere(generate(load_model(std::string(RINGMARK_REPLAY_FILES) + "/llama4.model.json"), settings), 4);
}

TEST(RealCollectives, and_messages_of_roles) {
  using namespace testing_support;
  play_roles(small_roles(tensors_and_pipeline, 8));
  play_roles(small_roles(interleaved_on_two, 4));
  play_roles(small_roles(interleaved_on_four, 4));
  play_roles(small_roles(experts, 4));
}

TEST(RealCollectives, of_experts_with_unequal_parts) {
  auto trace = testing_support::small_roles(testing_support::experts, 4);
  int unequal = 0;
  for (auto& pass : trace.passes) {
    for (auto& event : pass.events) {
      if (event.kind != EventKind::collective || event.collective != Collective::all_to_all) continue;
      event.counts = {0, 10, 20, 3000, 7, 0, 0, 1, 500, 1, 2, 3, 4, 0, 0, 900};
      event.counts_ranks = 4;
      ++unequal;
    }
  }
  EXPECT_GT(unequal, 0);
  play_roles(trace);
}

TEST(RealCollectives, to_an_owner) {
  StepSettings settings;
  settings.zero_stage = 2;
  settings.ranks = 3;
  settings.multi_rank_all_reduce = false;
  settings.reduce_bucket = 400'000;
  play_everywhere(generate(load_model(std::string(RINGMARK_REPLAY_FILES) + "/llama4.model.json"), settings), 3);
}

}  // namespace
}  // namespace ringmark::replay
