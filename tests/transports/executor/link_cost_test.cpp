#include "transports/executor/link_cost.hpp"

#include <barrier>
#include <utility>

#include "base/errors.hpp"
#include "tests/contract/tcp_ranks.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

std::vector<LinkCost> measured_by(int ranks) {
  std::vector<LinkCost> links(static_cast<std::size_t>(ranks));
  const auto endpoints = tcp_endpoints(ranks, {});
  Slowest slowest(ranks);
  in_threads(ranks, [&](int rank) {
    const auto self = static_cast<std::size_t>(rank);
    TcpFabric fabric(endpoints[self], 1);
    links[self] = measure_link_cost(
        fabric, [&](double mine) { return slowest.of(rank, mine); }, std::chrono::seconds(60));
  });
  return links;
}

TEST(MeasureLinkCost, tells_all_ranks_the_same_costs) {
  for (const int ranks : {2, 3, 5}) {
    const auto links = measured_by(ranks);
    EXPECT_GT(links[0].alpha_us, 0) << ranks;
    EXPECT_GE(links[0].beta_us_per_byte, 0) << ranks;
    EXPECT_GT(links[0].gamma_us_per_byte, 0) << ranks;
    for (const auto& link : links) {
      EXPECT_EQ(link.alpha_us, links[0].alpha_us);
      EXPECT_EQ(link.beta_us_per_byte, links[0].beta_us_per_byte);
      EXPECT_EQ(link.gamma_us_per_byte, links[0].gamma_us_per_byte);
    }
  }
}

/// The cost that follows from equal times, and the number of measurements.
std::pair<LinkCost, int> made_of(double time_us, int ranks) {
  std::vector<std::pair<LinkCost, int>> results(static_cast<std::size_t>(ranks));
  const auto endpoints = tcp_endpoints(ranks, {});
  in_threads(ranks, [&](int rank) {
    auto& result = results[static_cast<std::size_t>(rank)];
    TcpFabric fabric(endpoints[static_cast<std::size_t>(rank)], 1);
    result.first = measure_link_cost(
        fabric, [&](double) { return ++result.second, time_us; }, std::chrono::seconds(60));
  });
  for (const auto& [link, times] : results) EXPECT_EQ(times, results[0].second);
  return results[0];
}

TEST(MeasureLinkCost, takes_a_step_of_a_barrier_and_the_upper_median_of_the_sizes) {
  const auto link = made_of(30, 5).first;
  EXPECT_DOUBLE_EQ(link.alpha_us, 10);  // of five ranks a barrier is three steps
  EXPECT_DOUBLE_EQ(link.beta_us_per_byte, 20.0 / (64 << 10));
}

TEST(MeasureLinkCost, stops_at_the_first_size_on_a_slow_link_but_not_for_latency) {
  const auto [slow, times_when_slow] = made_of(900'000, 5);
  EXPECT_DOUBLE_EQ(slow.beta_us_per_byte, 600'000.0 / (16 << 10));
  const auto [far, times_when_far] = made_of(900'000, 2);  // a step takes all of it
  EXPECT_EQ(far.alpha_us, 900'000);
  EXPECT_GT(times_when_far, times_when_slow);
}

TEST(MeasureLinkCost, ends_when_a_rank_answers_nothing_and_names_it) {
  const auto endpoints = tcp_endpoints(2, {});
  std::barrier end(2);
  in_threads(2, [&](int rank) {
    TcpFabric fabric(endpoints[static_cast<std::size_t>(rank)], 1);
    const std::vector<int> other{1 - rank};
    fabric.connect(other, Deadline::after(std::chrono::seconds(10)));
    if (rank == 0) {
      EXPECT_THROW(measure_link_cost(
                       fabric, [](double mine) { return mine; }, std::chrono::milliseconds(200)),
                   TimedOut);
    }
    end.arrive_and_wait();
  });
}

}  // namespace
}  // namespace ringmark
