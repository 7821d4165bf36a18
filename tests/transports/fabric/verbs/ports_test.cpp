#include "transports/fabric/verbs/ports.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/transports/fabric/verbs/fake_verbs.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(VerbsPorts, are_listed_with_their_gids) {
  const FakeVerbs fake({{.device = "mlx5_1", .state = ibv::port_down}, {.device = "mlx5_0"}}, {});
  const auto text = verbs_listing(fake.driver());
  EXPECT_TRUE(has(text, "mlx5_0:1  Ethernet, active, 100 Gb/sec (4X EDR), MTU 4096")) << text;
  EXPECT_TRUE(has(text, "mlx5_1:1  Ethernet, down")) << text;
  EXPECT_TRUE(has(text, "GID 2: 10.9.0.1 RoCE v2")) << text;
  EXPECT_LT(text.find("mlx5_0"), text.find("mlx5_1"));
}

TEST(VerbsPorts, without_any_the_reason_is_told) {
  const FakeVerbs fake({}, {});
  EXPECT_EQ(verbs_listing(fake.driver()), "");
  EXPECT_THROW(verbs_ports(fake.driver()), Unusable);
  VerbsDriver none;
  none.why_not = "libibverbs.so.1 cannot be opened";
  try {
    verbs_ports(none);
    FAIL();
  } catch (const Unusable& error) {
    EXPECT_TRUE(has(error.what(), "libibverbs.so.1"));
  }
}

TEST(ChoosePort, gives_local_ranks_the_active_ports_in_turn) {
  const FakeVerbs fake({{.device = "a"}, {.device = "b", .state = ibv::port_down}, {.device = "c"}}, {});
  const auto ports = verbs_ports(fake.driver());
  EXPECT_EQ(choose_port(ports, {}, 0).device, "a");
  EXPECT_EQ(choose_port(ports, {}, 1).device, "c");
  EXPECT_EQ(choose_port(ports, {}, 2).device, "a");
  VerbsOptions named;
  named.device = "c:1";
  EXPECT_EQ(choose_port(ports, named, 0).device, "c");
}

TEST(ChoosePort, with_numa_gives_the_nearest_ports_in_turn) {
  const FakeVerbs fake({{.device = "a"}, {.device = "b"}, {.device = "c"}}, {});
  auto ports = verbs_ports(fake.driver());
  ports[0].numa_distance = 21;
  ports[1].numa_distance = ports[2].numa_distance = 10;
  VerbsOptions options;
  options.device = "numa";
  EXPECT_EQ(choose_port(ports, options, 0).device, "b");
  EXPECT_EQ(choose_port(ports, options, 1).device, "c");
  EXPECT_EQ(choose_port(ports, options, 2).device, "b");
}

TEST(ChoosePort, names_what_is_there_when_it_cannot) {
  const FakeVerbs fake({{.device = "mlx5_0", .state = ibv::port_down}}, {});
  const auto ports = verbs_ports(fake.driver());
  VerbsOptions named;
  named.device = "mlx5_9";
  try {
    choose_port(ports, named, 0);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_TRUE(has(error.what(), "mlx5_9") && has(error.what(), "mlx5_0:1 (Ethernet, down)")) << error.what();
  }
  EXPECT_THROW(choose_port(ports, {}, 0), Unusable);
}

TEST(ChoosePort, refuses_a_larger_mtu_than_the_port_has) {
  const FakeVerbs fake({{.device = "mlx5_0", .mtu_code = 3}}, {});
  VerbsOptions options;
  options.mtu_bytes = 1024;
  EXPECT_EQ(choose_port(verbs_ports(fake.driver()), options, 0).device, "mlx5_0");
  options.mtu_bytes = 4096;
  EXPECT_THROW(choose_port(verbs_ports(fake.driver()), options, 0), BadUsage);
}

TEST(ChooseGid, goes_by_type_and_family_and_never_by_a_fixed_index) {
  const FakeVerbs fake({{}}, {});
  const auto port = verbs_ports(fake.driver()).at(0);
  EXPECT_EQ(choose_gid(port, {}).index, 2);
  VerbsOptions options;
  options.gid_family = "ipv6";
  EXPECT_EQ(choose_gid(port, options).index, 1);
  options.gid_index = 0;
  EXPECT_EQ(choose_gid(port, options).type, "IB/RoCE v1");
  options.gid_index = 7;
  EXPECT_THROW(choose_gid(port, options), BadUsage);
}

TEST(ChooseGid, refuses_a_port_without_a_routable_one) {
  const FakeVerbs fake({{.gids = {{"IB/RoCE v1", "fe80::1"}}}}, {});
  EXPECT_THROW(choose_gid(verbs_ports(fake.driver()).at(0), {}), Unusable);
}

}  // namespace
}  // namespace ringmark
