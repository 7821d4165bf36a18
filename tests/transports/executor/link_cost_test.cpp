#include "transports/executor/link_cost.hpp"

#include <barrier>

#include "tests/contract/tcp_ranks.hpp"
#include "transports/errors.hpp"

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
