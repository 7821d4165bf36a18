#include "lab/network.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/drawing.hpp"
#include "lab/fault.hpp"
#include "lab/neighbours.hpp"
#include "lab/routes.hpp"
#include "lab/shaping.hpp"

namespace ringmark::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Network four_leaves() { return plan_fabric({4, 2, 3, 2, Rate{500'000'000}, {}}, Rate{1'000'000'000}, {}); }

std::vector<LinkState> states_of(const Network& network) { return std::vector<LinkState>(network.links.size()); }

TEST(NetworkTest, states_the_links_of_hosts_and_the_uplinks_of_leaves) {
  const auto links = nlohmann::json::parse(stated_links(four_leaves()));
  ASSERT_EQ(links.size(), 12U + 4);
  EXPECT_EQ(links[7]["hosts"], nlohmann::json::array({"host-7"}));
  EXPECT_EQ(links[7]["bits_per_s"], 2'000'000'000U);  // two NICs
  EXPECT_EQ(links[13]["name"], "leaf2");
  EXPECT_EQ(links[13]["hosts"], nlohmann::json::array({"host-3", "host-4", "host-5"}));
  EXPECT_EQ(links[13]["bits_per_s"], 1'000'000'000U);
  EXPECT_EQ(stated_links(plan_switch(3, {}, {})), "[]");
}

TEST(Network, states_its_fabric_for_other_programs) {
  const auto fabric = nlohmann::json::parse(stated_fabric(four_leaves()));
  EXPECT_EQ(fabric["leaves"].size(), 4U);
  EXPECT_EQ(fabric["leaves"]["leaf1"][0], "host-0");
  EXPECT_EQ(fabric["spines"], four_leaves().spines);
  const auto single = nlohmann::json::parse(stated_fabric(plan_switch(3, {}, {})));
  EXPECT_EQ(single["hosts"].size(), 3U);
  EXPECT_TRUE(single["leaves"].empty());
}

TEST(NetworkTest, a_fabric_has_every_host_link_and_uplink_once) {
  const auto network = four_leaves();
  EXPECT_EQ(network.hosts.size(), 12U);
  EXPECT_EQ(network.switches.size(), 6U);
  ASSERT_EQ(network.links.size(), 12U * 2 + 4 * 2);
  std::set<std::string> names, addresses;
  for (const auto& link : network.links) names.insert(link.name);
  for (const auto& host : network.hosts) {
    for (const auto& nic : host.nics) addresses.insert(nic.address);
  }
  EXPECT_EQ(names.size(), network.links.size());
  EXPECT_EQ(addresses.size(), 24U);
  EXPECT_EQ(network.links[network.uplink(2, 1)].name, "leaf3-spine2");
  EXPECT_EQ(network.links[network.uplink(2, 1)].rate, Rate{500'000'000});
  EXPECT_EQ(network.links[network.link_of(network.hosts[7], 1)].name, "host-7-e1");
  EXPECT_EQ(network.hosts[7].nics[1].address, "10.3.1.2");
}

TEST(NetworkTest, a_name_stands_for_a_link_or_for_all_of_a_host_or_switch) {
  const auto network = four_leaves();
  EXPECT_EQ(find_links(network, "leaf1-spine2").size(), 1U);
  EXPECT_EQ(find_links(network, "host-3").size(), 2U);
  EXPECT_EQ(find_links(network, "spine2").size(), 4U);
  EXPECT_EQ(find_links(network, "leaf2").size(), 3U * 2 + 2);
  EXPECT_TRUE(find_links(network, "leaf9").empty());
  EXPECT_EQ(find_links(plan_switch(3, {}, {}), "host-1"), std::vector<std::size_t>{1});
}

TEST(NetworkTest, a_link_that_is_down_leaves_the_routes_of_all_leaves) {
  const auto network = four_leaves();
  auto states = states_of(network);
  EXPECT_THAT(leaf_routes_batch(network, 2, states), HasSubstr("10.1.0.0/16 nexthop via 172.31.3.1 dev spine1 nexthop "
                                                               "via 172.31.3.3 dev spine2\n"));
  states[network.uplink(0, 1)].is_up = false;
  EXPECT_THAT(leaf_routes_batch(network, 2, states), HasSubstr("10.1.0.0/16 nexthop via 172.31.3.1 dev spine1\n"));
  EXPECT_THAT(leaf_routes_batch(network, 2, states),
              HasSubstr("10.2.0.0/16 nexthop via 172.31.3.1 dev spine1 nexthop"));
  EXPECT_THAT(spine_routes_batch(network, 1, states), HasSubstr("unreachable 10.1.0.0/16"));
  states[network.uplink(0, 0)].is_up = false;
  EXPECT_THAT(leaf_routes_batch(network, 2, states), HasSubstr("unreachable 10.1.0.0/16"));
}

TEST(NetworkTest, a_drawing_has_every_switch_and_host) {
  const auto network = four_leaves();
  for (const auto& drawing : {draw_text(network), draw_svg(network)}) {
    for (const auto& each : network.switches) EXPECT_THAT(drawing, HasSubstr(each.name));
    for (const auto& host : network.hosts) EXPECT_THAT(drawing, HasSubstr(host.name));
  }
  EXPECT_THAT(draw_text(network), HasSubstr("6:1"));
}

TEST(FaultTest, reads_every_change) {
  const auto change = [](const char* text) { return to_string(parse_fault(text).value().change); };
  EXPECT_EQ(change("leaf1-spine2:rate=50mbit@5s"), "rate 50mbit");
  EXPECT_EQ(change("host-2:loss=0.5%@500ms"), "loss 0.5 %");
  EXPECT_EQ(change("host-2:loss=2@1m"), "loss 2 %");
  EXPECT_EQ(change("a:delay=5ms@1s"), "delay 5ms");
  EXPECT_EQ(change("a:corruption=1%@1s"), "corruption 1 %");
  EXPECT_EQ(change("a:down@1s"), "down");
  EXPECT_EQ(change("a:up@1s"), "up");
  EXPECT_EQ(parse_fault("leaf1-spine2:up@1500ms")->part, "leaf1-spine2");
  EXPECT_EQ(parse_fault("leaf1-spine2:up@1500ms")->after, std::chrono::milliseconds(1500));
  for (const char* wrong : {"", "a", "a:down", "down@1s", ":down@1s", "a:dawn@1s", "a:rate=fast@1s", "a:loss=101%@1s",
                            "a:loss=-1@1s", "a:delay=5@1s", "a:down@1"})
    EXPECT_FALSE(parse_fault(wrong)) << wrong;
}

TEST(ShapingTest, only_changes_have_commands) {
  const LinkState fast{.rate = Rate{1'000'000'000}}, slow{.rate = Rate{50'000'000}}, unshaped{};
  EXPECT_EQ(shaping_batch("e0", fast, fast, false), "");
  EXPECT_EQ(shaping_batch("e0", unshaped, unshaped, false), "");
  EXPECT_THAT(shaping_batch("e0", fast, slow, false), Not(HasSubstr("del")));
  EXPECT_THAT(shaping_batch("e0", fast, unshaped, false), HasSubstr("qdisc del dev e0 root"));
  const auto late = fast.after(DelayChange{std::chrono::milliseconds(5)});
  EXPECT_THAT(shaping_batch("e0", fast, late, true), HasSubstr("parent 1:1 handle 10: netem limit 10000 delay 5ms"));
  EXPECT_THAT(shaping_batch("e0", unshaped, late.after(RateChange{}), true), HasSubstr("root handle 10: netem"));
  EXPECT_THAT(loss_rules("e0", 0.5), HasSubstr("mod 1000000 < 5000 drop"));
  EXPECT_THAT(loss_rules("e0", 0), Not(HasSubstr("drop")));
}

TEST(ShapingTest, a_bucket_has_two_milliseconds_of_the_rate) {
  EXPECT_EQ(LinkState{.rate = Rate{200'000'000}}.bucket_bytes(), 50'000U);
  EXPECT_EQ(LinkState{.rate = Rate{8'000}}.bucket_bytes(), 8U << 10U);
  EXPECT_EQ(LinkState{.rate = Rate{10'000'000'000}}.bucket_bytes(), 128U << 10U);
  const LinkState given{.rate = Rate{200'000'000}, .burst_bytes = 16'384};
  EXPECT_EQ(given.after(RateChange{Rate{50'000'000}}).bucket_bytes(), 16'384U);
  EXPECT_THAT(shaping_batch("e0", given, false), HasSubstr("rate 200mbit burst 16384b"));
}

TEST(ShapingTest, the_smallest_bucket_takes_two_segments) {
  const LinkState slow{.rate = Rate{200'000'000}}, fast{.rate = Rate{1'000'000'000}}, unshaped{};
  EXPECT_EQ(most_segment_bytes({fast, slow, unshaped}), 25'000U);
  EXPECT_EQ(most_segment_bytes({fast, unshaped}), unlimited_segment_bytes);
}

TEST(NetworkTest, many_hosts_on_a_switch_are_told_their_neighbours) {
  EXPECT_FALSE(crowds_neighbour_table(plan_switch(16, {}, {})));
  EXPECT_FALSE(crowds_neighbour_table(plan_fabric({8, 2, 16, 1, {}, {}}, {}, {}))) << "each asks for its leaf alone";
  const auto network = plan_switch(64, {}, {});
  EXPECT_TRUE(crowds_neighbour_table(network));
  std::set<std::string> own;
  for (const auto& host : network.hosts) {
    const auto batch = neighbours_batch(network, host, true);
    own.insert(batch.substr(0, batch.find('\n')));
    EXPECT_EQ(std::count(batch.begin(), batch.end(), '\n'), 1 + 2 * 63);
    EXPECT_THAT(batch, Not(HasSubstr(" " + host.address() + " ")));
  }
  EXPECT_EQ(own.size(), 64U) << "no two have the same hardware address";
}

}  // namespace
}  // namespace ringmark::lab
