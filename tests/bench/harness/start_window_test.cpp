// Ranks whose clocks differ by seconds begin at one time. A sign that is wrong anywhere would make them wait for
// seconds, or not at all.
#include "bench/harness/start_window.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/harness/measure.hpp"
#include "tests/contract/shifted_clocks.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using std::chrono::seconds;

const std::vector<seconds> shifts{seconds(0), seconds(3), seconds(-2), seconds(7), seconds(-11)};

class StartWindows : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_shifted_clocks(shifts); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(StartWindows, begin_at_one_time_that_no_rank_precedes) {
  with_shifted_clocks(shifts, [](Bootstrap& ranks) {
    Control control(std::make_unique<TcpFabric>(TcpEndpoint::create(ranks, {}), 1), seconds(30));
    StartWindow window(control);
    const auto offset = control.synchronise_clocks();
    window.prepare(offset.to_rank0_us, 100);
    for (int round = 0; round < 20; ++round) {
      const double arrived_us = now_us() + offset.to_rank0_us;
      const double agreed_us = window.wait() + offset.to_rank0_us;
      EXPECT_GE(now_us() + offset.to_rank0_us, agreed_us);
      EXPECT_GE(agreed_us, control.max(arrived_us)) << "it lies behind the arrival of the last rank";
      // Every rank computes it from the same values, and rounds the way to its own clock and back.
      EXPECT_NEAR(agreed_us, control.max(agreed_us), 0.01);
    }
  });
}

TEST_F(StartWindows, are_where_the_times_of_a_measurement_begin) {
  with_shifted_clocks(shifts, [](Bootstrap& ranks) {
    const auto endpoint = TcpEndpoint::create(ranks, {});
    Control control(std::make_unique<TcpFabric>(endpoint, 1), seconds(30));
    ScheduleCommunicator communicator("tcp", std::make_unique<TcpFabric>(endpoint, 2), Topology::flat(ranks.size()),
                                      {});
    MeasurePlan plan{.operation = {Collective::gather, DataType::float32, ReduceOp::sum, 64}};
    plan.start = Start::window;
    plan.time.iterations = 20;
    RunBuffers buffers(communicator.memory(), 2048, 2048);
    const auto measured = measure(communicator, control, buffers, plan, [](bool) {});
    EXPECT_EQ(measured.wrong_elements, 0U);
    ASSERT_EQ(measured.times_us.size(), 20U);
    if (ranks.rank() != 0) return;
    for (std::size_t sample = 0; sample < measured.times_us.size(); ++sample) {
      const auto& all = measured.samples;
      double longest_us = 0;
      for (const auto& times : all.time_us) longest_us = std::max(longest_us, times[sample]);
      EXPECT_EQ(measured.times_us[sample], longest_us);
      // All times run from one start, which no entry precedes, and the last rank to begin ends after it began.
      EXPECT_GE(measured.times_us[sample], measured.skews_us[sample]);
    }
  });
}

TEST(StartWindow, waits_for_nothing_while_no_time_is_known) {
  with_shifted_clocks({seconds(0), seconds(0)}, [](Bootstrap& ranks) {
    const auto endpoint = TcpEndpoint::create(ranks, {});
    Control control(std::make_unique<TcpFabric>(endpoint, 1), seconds(30));
    ScheduleCommunicator communicator("tcp", std::make_unique<TcpFabric>(endpoint, 2), Topology::flat(ranks.size()),
                                      {});
    for (const auto timing : {Timing::each, Timing::batch}) {
      MeasurePlan plan{.operation = {Collective::all_reduce, DataType::float32, ReduceOp::sum, 64}, .timing = timing};
      plan.start = Start::window;
      plan.time.iterations = 5;
      plan.time.warmup = 0;
      RunBuffers buffers(communicator.memory(), 256, 256);
      const auto measured = measure(communicator, control, buffers, plan, [](bool) {});
      EXPECT_EQ(measured.times_us.size(), 5U);
      EXPECT_EQ(measured.wrong_elements, 0U);
    }
  });
}

TEST(StartWindow, has_a_period_that_is_bounded) {
  with_shifted_clocks({seconds(0), seconds(0), seconds(0)}, [](Bootstrap& ranks) {
    Control control(std::make_unique<TcpFabric>(TcpEndpoint::create(ranks, {}), 1), seconds(30));
    StartWindow window(control);
    window.prepare(0, std::nullopt);
    const double width_us = window.period_us();
    EXPECT_GT(width_us, 0);
    EXPECT_LE(width_us, 10'000);
    window.prepare(0, 1000.0);
    EXPECT_GE(window.period_us(), 1200 + width_us) << "the width never shrinks";
    EXPECT_LE(window.period_us(), 1200 + 10'000);
  });
}

}  // namespace
}  // namespace ringmark
