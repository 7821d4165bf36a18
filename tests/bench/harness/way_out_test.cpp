#include "bench/harness/way_out.hpp"

#include <array>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"

namespace ringmark {
namespace {

constexpr std::size_t packet_bytes = 10'000;

/// Over the loopback, to a port where nobody need listen.
void send_a_packet() {
  const FileDescriptor socket(check_sys(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "create a socket"));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(9);
  const std::array<char, packet_bytes> packet{};
  const auto* address = reinterpret_cast<const sockaddr*>(&to);
  check_sys(::sendto(socket.get(), packet.data(), packet.size(), 0, address, sizeof to), "send");
}

TEST(WayOut, over_interfaces_counts_what_leaves_by_each) {
  const auto one = way_out_over({"lo"});
  const auto both = way_out_over({"lo", "lo"});
  EXPECT_EQ(one.name, "lo");
  EXPECT_EQ(both.name, "lo+lo");
  EXPECT_EQ(one.network, Network::tcp);
  const auto one_before = one.sent_bytes(), both_before = both.sent_bytes();
  ASSERT_TRUE(one_before && both_before);
  send_a_packet();
  EXPECT_GE(*one.sent_bytes(), *one_before + packet_bytes);
  EXPECT_GE(*both.sent_bytes(), *both_before + 2 * packet_bytes);
}

TEST(WayOut, over_an_interface_that_is_not_there_is_not_counted) {
  const auto out = way_out_over({"lo", "no-such"});
  EXPECT_EQ(out.name, "lo+no-such");
  EXPECT_FALSE(out.sent_bytes());
}

}  // namespace
}  // namespace ringmark
