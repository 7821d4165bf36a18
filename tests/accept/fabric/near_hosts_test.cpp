#include "accept/fabric/near_hosts.hpp"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Matrix = std::vector<std::vector<double>>;

class NearHosts : public testing::Test {
 protected:
  /// Answers of about 20 us that scatter by 1 %.
  Matrix answers(std::size_t hosts, const std::function<double(std::size_t, std::size_t)>& more_us) {
    std::normal_distribution<double> scatter(20, 0.2);
    Matrix all(hosts, std::vector<double>(hosts, 0));
    for (std::size_t i = 0; i < hosts; ++i) {
      for (std::size_t j = i + 1; j < hosts; ++j) all[i][j] = all[j][i] = scatter(random_) + more_us(i, j);
    }
    return all;
  }

 private:
  std::mt19937 random_{7};
};

TEST_F(NearHosts, are_those_behind_one_switch_whatever_its_size) {
  const std::vector<int> leaf_of{0, 1, 0, 2, 1, 2, 0, 2, 2};
  const auto found = groups_of_near_hosts(answers(9, [&](auto i, auto j) { return leaf_of[i] == leaf_of[j] ? 0 : 3; }));
  EXPECT_THAT(found, ElementsAre(ElementsAre(0, 2, 6), ElementsAre(1, 4), ElementsAre(3, 5, 7, 8)));
}

TEST_F(NearHosts, are_found_beside_a_host_that_is_slow_with_all) {
  const auto found = groups_of_near_hosts(
      answers(6, [](auto i, auto j) { return (i / 2 == j / 2 ? 0 : 4) + (i == 3 || j == 3 ? 200 : 0); }));
  EXPECT_THAT(found, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
}

TEST_F(NearHosts, are_none_behind_a_single_switch) {
  for (int i = 0; i < 200; ++i) EXPECT_THAT(groups_of_near_hosts(answers(8, [](auto, auto) { return 0; })), IsEmpty());
}

TEST_F(NearHosts, are_none_if_hosts_disagree) {
  const auto chain = answers(8, [](auto i, auto j) { return j - i == 1 ? 0 : 5; });
  EXPECT_THAT(groups_of_near_hosts(chain), IsEmpty());
  const auto lonely = answers(7, [](auto i, auto j) { return i / 2 == j / 2 ? 0 : 5; });
  EXPECT_THAT(groups_of_near_hosts(lonely), IsEmpty()) << "a host that no other is near to";
}

TEST_F(NearHosts, may_differ_by_nearly_twice_the_gap) {
  constexpr double far_us = 26.2;
  Matrix all(8, std::vector<double>(8, 0));
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) all[i][j] = i / 4 == j / 4 ? 18 + 2 * static_cast<double>(i ^ j) : far_us;
  }
  EXPECT_THAT(groups_of_near_hosts(all), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)))
      << "near ones take 20 to 24 us";
}

TEST_F(NearHosts, are_not_looked_for_among_too_few) {
  EXPECT_THAT(groups_of_near_hosts(answers(4, [](auto i, auto j) { return i / 2 == j / 2 ? 0 : 8; })), IsEmpty());
}

}  // namespace
}  // namespace ringmark::accept
