#include "history/commands/metrics_server.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::history {
namespace {

TEST(ServeAddress, has_a_port_and_perhaps_a_host) {
  EXPECT_EQ(parse_serve_address("127.0.0.1:9400")->host, "127.0.0.1");
  EXPECT_EQ(parse_serve_address("127.0.0.1:9400")->port, 9400);
  EXPECT_EQ(parse_serve_address(":0")->host, "");
  EXPECT_EQ(parse_serve_address("[::1]:80")->host, "::1");
  for (const auto* wrong : {"", "9400", "node1", "node1:", "node1:70000", "node1:-1", "::1:80", "a:b"})
    EXPECT_FALSE(parse_serve_address(wrong)) << wrong;
}

TEST(ServeMetrics, refuses_an_address_of_another_machine) {
  EXPECT_THROW(serve_metrics({"192.0.2.1", 0}, {}, {}), BadUsage);
}

}  // namespace
}  // namespace ringmark::history
