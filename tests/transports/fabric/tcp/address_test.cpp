#include "transports/fabric/tcp/address.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

InterfaceAddress v4(const char* interface, const char* address, int prefix_bits, bool loopback = false) {
  return {interface, address, AF_INET, prefix_bits, loopback};
}

const auto lo = v4("lo", "127.0.0.1", 8, true);

std::vector<std::string> texts(const std::vector<InterfaceAddress>& addresses) {
  std::vector<std::string> result;
  for (const auto& a : addresses) result.push_back(a.address);
  return result;
}

using Texts = std::vector<std::string>;

/// The text of the BadUsage that `body` throws.
template <class Body>
std::string refusal_of(const Body& body) {
  try {
    body();
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(ChooseAddresses, takes_loopback_on_one_host_and_the_common_subnet_on_several) {
  EXPECT_EQ(texts(choose_addresses({{"a", {v4("eth0", "10.0.0.1", 24), lo}}, {"a", {lo}}}, {})),
            (Texts{"127.0.0.1", "127.0.0.1"}));
  EXPECT_EQ(texts(choose_addresses({{"a", {lo, v4("eth0", "192.168.1.1", 24), v4("ib0", "10.0.0.1", 24)}},
                                    {"b", {lo, v4("ens1", "10.0.0.2", 24)}}},
                                   {})),
            (Texts{"10.0.0.1", "10.0.0.2"}));
}

TEST(ChooseAddresses, lets_the_ranks_of_a_host_take_interfaces_in_turn) {
  const std::vector<InterfaceAddress> a{v4("e0", "10.1.0.1", 24), v4("e1", "10.1.1.1", 24)};
  const std::vector<InterfaceAddress> b{v4("e0", "10.2.0.1", 24), v4("e1", "10.2.1.1", 24)};
  TcpOptions options;
  options.interface = "e0,e1";
  EXPECT_EQ(admitted(a, options).size(), 2U);
  EXPECT_EQ(texts(choose_addresses({{"a", a}, {"a", a}, {"b", b}, {"b", b}, {"b", b}}, options)),
            (Texts{"10.1.0.1", "10.1.1.1", "10.2.0.1", "10.2.1.1", "10.2.0.1"}));
  EXPECT_THROW(choose_addresses({{"a", a}, {"a", {a.front()}}}, options), BadUsage);
}

TEST(ChooseAddresses, refuses_a_bridge_in_turn_that_has_the_same_address_on_every_host) {
  const auto bridge = v4("docker0", "172.17.0.1", 16);
  const std::vector<InterfaceAddress> a{v4("eth0", "10.0.0.1", 24), bridge}, b{v4("eth0", "10.0.0.2", 24), bridge};
  TcpOptions options;
  options.interface = "eth0,docker0";
  EXPECT_EQ(texts(choose_addresses({{"a", a}, {"a", a}, {"b", b}}, options)),
            (Texts{"10.0.0.1", "172.17.0.1", "10.0.0.2"}));
  const auto text = refusal_of([&] { choose_addresses({{"a", a}, {"a", a}, {"b", b}, {"b", b}}, options); });
  EXPECT_NE(text.find("172.17.0.1 on docker0"), std::string::npos) << text;
}

TEST(ChooseAddresses, in_turn_are_of_a_family_that_all_ranks_have) {
  const InterfaceAddress v6_a{"e0", "fd00::1", AF_INET6, 64, false}, v6_b{"e1", "fd01::2", AF_INET6, 64, false};
  TcpOptions options;
  options.interface = "e0,e1";
  EXPECT_EQ(texts(choose_addresses({{"a", {v4("e0", "10.0.0.1", 24), v6_a, v6_b}}, {"a", {v6_a, v6_b}}}, options)),
            (Texts{"fd00::1", "fd01::2"}));
}

TEST(ChooseAddresses, passes_by_a_bridge_that_has_the_same_address_on_every_host) {
  const auto bridge = v4("docker0", "172.17.0.1", 16);
  EXPECT_EQ(texts(choose_addresses(
                {{"a", {bridge, v4("eth0", "10.0.0.1", 24)}}, {"b", {bridge, v4("eth0", "10.0.0.2", 24)}}}, {})),
            (Texts{"10.0.0.1", "10.0.0.2"}));
}

TEST(ChooseAddresses, names_the_loopback_that_is_down) {
  EXPECT_NE(refusal_of([] { admitted({}, {}); }).find("ip link set lo up"), std::string::npos);
  const RankAddresses without{"a", {v4("eth0", "10.0.0.1", 24)}};
  const auto text = refusal_of([&] { choose_addresses({without, without}, {}); });
  EXPECT_NE(text.find("loopback, which is down"), std::string::npos) << text;
  EXPECT_NE(text.find("eth0 (10.0.0.1/24)"), std::string::npos) << text;
}

TEST(ChooseAddresses, goes_through_routers_only_where_told_so) {
  const std::vector<RankAddresses> ranks{{"a", {v4("eth0", "10.0.1.1", 31)}}, {"b", {v4("eth0", "10.0.2.1", 31)}}};
  EXPECT_THROW(choose_addresses(ranks, {}), BadUsage);
  TcpOptions named;
  named.interface = "eth0";
  EXPECT_EQ(texts(choose_addresses(ranks, named)), (Texts{"10.0.1.1", "10.0.2.1"}));
}

TEST(ChooseAddresses, names_what_every_host_has_when_none_will_do) {
  try {
    choose_addresses({{"a", {v4("eth0", "10.0.1.1", 24)}}, {"b", {v4("eth1", "10.0.2.1", 24)}}}, {});
    FAIL() << "there is no common subnet";
  } catch (const BadUsage& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a: eth0 (10.0.1.1/24)"), std::string::npos) << text;
    EXPECT_NE(text.find("b: eth1 (10.0.2.1/24)"), std::string::npos) << text;
  }
}

TEST(Admitted, filters_by_name_subnet_and_family) {
  const std::vector<InterfaceAddress> all{lo, v4("eth0", "10.0.0.1", 24), {"eth0", "fd00::1", AF_INET6, 64, false}};
  TcpOptions options;
  options.interface = "eth0";
  EXPECT_EQ(texts(admitted(all, options)), (Texts{"10.0.0.1", "fd00::1"}));
  options.family = "ipv6";
  EXPECT_EQ(texts(admitted(all, options)), (Texts{"fd00::1"}));
  options.family = "any";
  options.interface = "10.0.0.0/16";
  EXPECT_EQ(texts(admitted(all, options)), (Texts{"10.0.0.1"}));
  options.interface = "ib0";
  EXPECT_THROW(admitted(all, options), BadUsage);
}

}  // namespace
}  // namespace ringmark
