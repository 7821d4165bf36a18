#include "accept/fabric/differences.hpp"

#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

nlohmann::json facts_of(const char* mtu, const char* kernel) {
  return {
      {"host", mtu + std::string(kernel)}, {"interfaces", {{"eth0", {{"mtu", mtu}}}}}, {"facts", {{"kernel", kernel}}}};
}

TEST(Differences, are_told_with_the_usual_value_and_those_that_matter_first) {
  const auto found = differences({{0, facts_of("9000", "6.1")},
                                  {1, facts_of("9000", "6.5")},
                                  {2, facts_of("1500", "6.1")},
                                  {3, facts_of("9000", "6.1")}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].host, 2U);
  EXPECT_EQ(found[0].fact, "interfaces/eth0/mtu");
  EXPECT_EQ(found[0].value, "1500");
  EXPECT_EQ(found[0].usual, "9000");
  EXPECT_TRUE(found[0].matters);
  EXPECT_EQ(found[1].host, 1U);
  EXPECT_FALSE(found[1].matters);
}

TEST(Differences, are_none_where_no_value_is_usual) {
  EXPECT_TRUE(differences({{0, facts_of("9000", "6.1")}, {1, facts_of("1500", "6.1")}}).empty());
}

TEST(Differences, name_what_a_host_lacks) {
  auto lacking = facts_of("9000", "6.1");
  lacking.erase("interfaces");
  const auto found = differences({{0, facts_of("9000", "6.1")}, {1, lacking}, {2, facts_of("9000", "6.1")}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].host, 1U);
  EXPECT_EQ(found[0].value, "none");
  EXPECT_TRUE(found[0].matters);
}

nlohmann::json with_states(const char* nic, const char* bridge) {
  return {{"interfaces", {{"eth1", {{"operstate", nic}}}, {"docker0", {{"operstate", bridge}}}}}};
}

TEST(Differences, matter_where_an_interface_is_down_but_for_those_of_containers) {
  const auto found =
      differences({{0, with_states("up", "up")}, {1, with_states("down", "up")}, {2, with_states("up", "down")}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].fact, "interfaces/eth1/operstate");
  EXPECT_TRUE(found[0].matters);
  EXPECT_EQ(found[1].host, 2U);
  EXPECT_FALSE(found[1].matters);
}

TEST(Differences, do_not_matter_where_an_interface_is_up_that_most_hosts_do_not_use) {
  const auto found =
      differences({{0, with_states("down", "up")}, {1, with_states("up", "up")}, {2, with_states("down", "up")}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].host, 1U);
  EXPECT_EQ(found[0].value, "up");
  EXPECT_FALSE(found[0].matters);
}

TEST(Differences, do_not_matter_in_a_device_that_one_host_alone_has) {
  auto with_container = facts_of("9000", "6.1");
  with_container["interfaces"]["veth1"] = {{"mtu", "1500"}};
  const auto found = differences({{0, facts_of("9000", "6.1")}, {1, with_container}, {2, facts_of("9000", "6.1")}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fact, "interfaces/veth1/mtu");
  EXPECT_FALSE(found[0].matters);
}

}  // namespace
}  // namespace ringmark::accept
