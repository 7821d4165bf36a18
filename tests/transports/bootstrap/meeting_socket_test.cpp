#include "transports/bootstrap/meeting_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "transports/bootstrap/socket_address.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;

constexpr bool has_secret = true;

SocketAddress address_of(const FileDescriptor& fd) {
  SocketAddress address;
  address.length = sizeof address.storage;
  check_sys(::getsockname(fd.get(), address.get(), &address.length), "read the address");
  return address;
}

Rendezvous at(const std::string& host, std::uint16_t port, int ports = 1) {
  return {.source = "the test", .host = host, .port = port, .ports = ports, .ranks = 2};
}

std::string refusal(const Rendezvous& place, bool with_secret) {
  try {
    listen_for_ranks(place, with_secret);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(MeetingSocket, listens_on_the_address_of_the_name_and_with_a_secret_on_all) {
  EXPECT_EQ(address_of(listen_for_ranks(at("127.0.0.1", 0), !has_secret)).host_text(), "127.0.0.1");
  const auto everywhere = address_of(listen_for_ranks(at("127.0.0.1", 0), has_secret)).host_text();
  EXPECT_TRUE(everywhere == "::" || everywhere == "0.0.0.0") << everywhere;
}

TEST(MeetingSocket, takes_the_next_port_where_one_is_in_use) {
  const auto first = listen_for_ranks(at("127.0.0.1", 0), !has_secret);
  const auto port = address_of(first).port();
  ASSERT_LT(port, 65'500);
  const auto second = listen_for_ranks(at("127.0.0.1", port, 16), !has_secret);
  EXPECT_GT(address_of(second).port(), port);
  EXPECT_LT(address_of(second).port(), port + 16);
  EXPECT_THAT(refusal(at("127.0.0.1", port), !has_secret), HasSubstr("in use"));
}

TEST(MeetingSocket, needs_a_name_of_this_host_only_without_a_secret) {
  EXPECT_THAT(refusal(at("rank-0.invalid", 0), !has_secret), HasSubstr("does not resolve on rank 0"));
  EXPECT_THAT(refusal(at("192.0.2.1", 0), !has_secret), HasSubstr("192.0.2.1 is not an address of"));
  for (const auto* host : {"rank-0.invalid", "192.0.2.1"}) EXPECT_EQ(refusal(at(host, 0), has_secret), "");
}

}  // namespace
}  // namespace ringmark
