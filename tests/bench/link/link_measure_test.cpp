#include "bench/link/link_measure.hpp"

#include <algorithm>
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

/// The receiving end of a link at a rate, with a bucket that lets the first bytes through at once.
class Shaped final : public Fabric {
 public:
  Shaped(std::unique_ptr<Fabric> fabric, double bytes_per_s, double bucket_bytes)
      : fabric_(std::move(fabric)), bytes_per_s_(bytes_per_s), bucket_bytes_(bucket_bytes), tokens_(bucket_bytes) {}

  int rank() const override { return fabric_->rank(); }
  int size() const override { return fabric_->size(); }
  std::string describe(int rank) const override { return fabric_->describe(rank); }
  void connect(std::span<const int> peers, Deadline deadline) override { fabric_->connect(peers, deadline); }
  void keep(std::span<std::byte> memory) override { fabric_->keep(memory); }
  void forget(std::span<std::byte> memory) override { fabric_->forget(memory); }
  std::uint64_t send(int to, std::span<const std::byte> message) override { return fabric_->send(to, message); }
  std::uint64_t receive(int from, const Incoming& incoming) override {
    lengths_.push_back(incoming.bytes);
    return fabric_->receive(from, incoming);
  }
  std::uint64_t sent(int to) const override { return fabric_->sent(to); }
  std::uint64_t received(int /*from*/) const override { return let_through_; }
  void progress(Deadline until) override {
    fabric_->progress(Deadline::after(until.left(std::chrono::microseconds(100))));
    const auto now = Clock::now();
    tokens_ = std::min(bucket_bytes_, tokens_ + std::chrono::duration<double>(now - last_).count() * bytes_per_s_);
    last_ = now;
    // Like a bucket that goes into debt: a message longer than it passes as well.
    while (let_through_ < fabric_->received(peer) && tokens_ > 0) {
      tokens_ -= static_cast<double>(lengths_[let_through_]);
      ++let_through_;
    }
  }
  void abort(int rank, const std::string& reason) noexcept override { fabric_->abort(rank, reason); }
  std::unique_ptr<Fabric> split(std::span<const int> ranks) override { return fabric_->split(ranks); }

 private:
  static constexpr int peer = 1;

  std::unique_ptr<Fabric> fabric_;
  double bytes_per_s_, bucket_bytes_, tokens_;
  Clock::time_point last_ = Clock::now();
  std::vector<std::size_t> lengths_;
  std::uint64_t let_through_ = 0;
};

TEST(LinkMeasure, a_link_slower_than_its_first_messages_takes_no_longer_than_its_time) {
  constexpr std::size_t message = 64 << 10, bucket = 256 << 10, in_a_window = 4 << 20;
  const auto network = MemoryNetwork::create(2);
  LinkResult result;
  in_threads(2, [&](int rank) {
    auto fabric = network->fabric(rank);
    if (rank == 0) fabric = std::make_unique<Shaped>(std::move(fabric), 6e6, bucket);
    const std::array peer{1 - rank};
    fabric->connect(peer, Deadline::after(std::chrono::seconds(30)));
    LinkPlan plan{.test = LinkTest::bandwidth, .source = 1, .destination = 0, .bytes = message};
    plan.time.max_time = std::chrono::milliseconds(50);
    auto own = measure_link(*fabric, plan);
    if (rank == plan.source) result = std::move(own);
  });
  EXPECT_EQ(result.stop_reason, StopReason::time);
  EXPECT_GE(result.times_us.size(), 1U);
  // At its rate the link carries 0.45 MB in the time of both the warm-up and what is timed.
  EXPECT_LT(network->sent_bytes(1), bucket + in_a_window / 2) << "a window for the bucket's speed has 4 MiB";
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
