#include "bench/link/link_measure.hpp"

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "bench/link/link_destination.hpp"
#include "tests/contract/rank_group.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

LinkResult measured(LinkTest test, std::size_t bytes, int iterations) {
  const auto network = MemoryNetwork::create(3);
  LinkResult result;
  in_threads(3, [&](int rank) {
    if (rank == 1) return;  // the others have nothing to do with it
    const auto fabric = network->fabric(rank);
    const std::array peer{2 - rank};
    fabric->connect(peer, Deadline::after(std::chrono::seconds(30)));
    LinkPlan plan{.test = test, .source = 2, .destination = 0, .bytes = bytes};
    plan.time.warmup = 1;
    plan.time.iterations = iterations;
    auto own = measure_link(*fabric, plan);
    if (rank == plan.source) result = std::move(own);
  });
  return result;
}

TEST(LinkMeasure, times_a_message_at_a_time_but_for_bandwidth) {
  EXPECT_EQ(measured(LinkTest::latency, 8, 20).messages, 20U);
  EXPECT_EQ(measured(LinkTest::burst, 1 << 20, 3).messages, 3U);
  const auto bandwidth = measured(LinkTest::bandwidth, 1 << 20, 5);
  EXPECT_EQ(bandwidth.times_us.size(), 5U);
  EXPECT_EQ(bandwidth.messages, 5U * 4) << "4 MiB back to back";
  EXPECT_EQ(bandwidth.wrong_bytes, 0U);
}

TEST(LinkMeasure, long_messages_arrive_whole) {
  constexpr std::size_t no_multiple_of_a_piece = (40U << 20U) + 12'345;
  for (const auto test : {LinkTest::bandwidth, LinkTest::latency}) {
    const auto result = measured(test, no_multiple_of_a_piece, 2);
    EXPECT_EQ(result.messages, 2U);
    EXPECT_EQ(result.wrong_bytes, 0U);
  }
}

TEST(LinkMeasure, several_sources_reach_one_destination_at_the_same_time) {
  constexpr int sources = 3, iterations = 20;
  for (const auto test : {LinkTest::bandwidth, LinkTest::latency, LinkTest::burst}) {
    const auto network = MemoryNetwork::create(sources + 1);
    std::vector<LinkResult> results(sources + 1);
    std::atomic<int> begun = 0;
    std::atomic<bool> is_together = true;
    in_threads(sources + 1, [&](int rank) {
      const auto fabric = network->fabric(rank);
      std::vector<LinkPlan> plans;
      for (int source = 1; source <= sources; ++source) {
        auto& plan = plans.emplace_back(LinkPlan{.test = test, .source = source, .destination = 0, .bytes = 100'000});
        plan.time.warmup = source;
        plan.time.iterations = test == LinkTest::burst ? 2 : iterations;
        // None gets on before all have begun: a destination that serves one after the other leaves them waiting.
        plan.around_timed = [&](bool on) {
          if (!on) return;
          ++begun;
          for (const auto soon = Deadline::after(std::chrono::seconds(10)); begun < sources && !soon.passed();)
            std::this_thread::yield();
          if (begun < sources) is_together = false;
        };
      }
      const std::vector<int> peers = rank == 0 ? std::vector{1, 2, 3} : std::vector{0};
      fabric->connect(peers, Deadline::after(std::chrono::seconds(30)));
      const auto at = static_cast<std::size_t>(rank);
      if (rank == 0) {
        EXPECT_GT(serve_links(*fabric, plans), 0);
        return;
      }
      results[at] = measure_link(*fabric, plans[at - 1]);
    });
    EXPECT_TRUE(is_together);
    for (std::size_t source = 1; source <= sources; ++source) {
      EXPECT_EQ(results[source].times_us.size(), test == LinkTest::burst ? 2U : iterations);
      EXPECT_EQ(results[source].wrong_bytes, 0U);
    }
  }
}

TEST(LinkMeasure, gives_up_on_a_peer_from_which_nothing_comes) {
  const auto network = MemoryNetwork::create(2);
  const auto source = network->fabric(0), silent = network->fabric(1);
  LinkPlan plan{.test = LinkTest::latency, .source = 0, .destination = 1};
  plan.time.timeout = std::chrono::milliseconds(50);
  EXPECT_THROW(measure_link(*source, plan), TimedOut);
}

}  // namespace
}  // namespace ringmark
