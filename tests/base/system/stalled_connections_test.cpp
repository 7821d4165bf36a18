#include "base/system/stalled_connections.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/file_descriptor.hpp"

namespace ringmark {
namespace {

TEST(StalledConnections, are_those_whose_packets_nobody_acknowledges) {
  const FileDescriptor listener(check_sys(::socket(AF_INET, SOCK_STREAM, 0), "create a socket"));
  const FileDescriptor sender(check_sys(::socket(AF_INET, SOCK_STREAM, 0), "create a socket"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  check_sys(::bind(listener.get(), any, length), "bind");
  check_sys(::listen(listener.get(), 1), "listen");
  check_sys(::getsockname(listener.get(), any, &length), "read the port");
  check_sys(::connect(sender.get(), any, length), "connect");
  const FileDescriptor receiver(check_sys(::accept(listener.get(), nullptr, nullptr), "accept"));
  EXPECT_TRUE(stalled_connections().empty());

  // Its kernel drops whatever comes.
  std::array<sock_filter, 1> drop{{BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog program{drop.size(), drop.data()};
  check_sys(::setsockopt(receiver.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), "drop");
  check_sys(::send(sender.get(), "lost", 4, 0), "send");
  const auto soon = Deadline::after(std::chrono::seconds(30));
  while (stalled_connections().empty() && !soon.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto stalled = stalled_connections();
  ASSERT_EQ(stalled.size(), 1U);
  EXPECT_EQ(stalled[0].peer, "127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  EXPECT_GE(stalled[0].times_sent, 4U);
  EXPECT_GT(stalled[0].packet_bytes, 0U);
  EXPECT_NE(in_words(stalled).find(stalled[0].peer), std::string::npos);

  const pid_t child = ::fork();
  if (child == 0) {
    const auto starter = stuck_starter();
    const bool is_named = starter && starter->process == ::getppid() && starter->peer == stalled[0].peer &&
                          starter->unacknowledged_bytes == 4 && starter->times_sent >= 4;
    ::_exit(is_named ? 0 : 1);
  }
  int raw = -1;
  ASSERT_EQ(::waitpid(child, &raw, 0), child);
  EXPECT_EQ(raw, 0);
}

}  // namespace
}  // namespace ringmark
