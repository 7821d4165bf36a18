#include "transports/fabric/tcp/socket_options.hpp"

#include <array>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transports/errors.hpp"
#include "transports/option.hpp"
#include "transports/system/check.hpp"
#include "transports/system/file_descriptor.hpp"
#include "transports/system/host.hpp"

namespace ringmark {
namespace {

/// Of the calling thread alone; true if it had it.
bool drop_net_admin() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  check_sys(static_cast<int>(::syscall(SYS_capget, &header, sets.data())), "read capabilities");
  constexpr unsigned net_admin = 1U << CAP_NET_ADMIN;
  const bool had = (sets[0].effective & net_admin) != 0;
  sets[0].effective &= ~net_admin;
  check_sys(static_cast<int>(::syscall(SYS_capset, &header, sets.data())), "drop a capability");
  return had;
}

int send_buffer_bytes(int fd) {
  int doubled = 0;
  socklen_t length = sizeof doubled;
  check_sys(::getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &doubled, &length), "read a buffer's size");
  return doubled / 2;
}

class SocketBuffer : public testing::Test {
 protected:
  void SetUp() override {
    std::size_t limit = 0;
    constexpr std::size_t most = 512 << 20;
    if (!read_number<std::size_t>(read_text_file("/proc/sys/net/core/wmem_max"), 1, most, limit))
      GTEST_SKIP() << "net.core.wmem_max is not shown here, or is beyond 512 MiB";
    options_.send_buffer_bytes = 2 * limit;
  }
  FileDescriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  TcpOptions options_;
};

TEST_F(SocketBuffer, beyond_the_limit_is_refused_to_whoever_may_not_pass_it) {
  std::string problem;
  std::thread([&] {
    drop_net_admin();
    try {
      apply_options(socket_.get(), options_, true);
    } catch (const BadUsage& error) {
      problem = error.what();
    }
  }).join();
  EXPECT_NE(problem.find("tcp.send_buffer"), std::string::npos) << problem;
  EXPECT_NE(problem.find("raise net.core.wmem_max"), std::string::npos) << problem;
}

TEST_F(SocketBuffer, beyond_the_limit_is_had_by_whoever_may) {
  bool may = false;
  std::thread([&] { may = drop_net_admin(); }).join();
  if (!may) GTEST_SKIP() << "needs CAP_NET_ADMIN";
  apply_options(socket_.get(), options_, true);
  EXPECT_GE(static_cast<std::size_t>(send_buffer_bytes(socket_.get())), options_.send_buffer_bytes);
}

TEST_F(SocketBuffer, within_the_limit_is_had_by_everyone) {
  options_.send_buffer_bytes = 64 << 10;
  std::thread([&] {
    drop_net_admin();
    EXPECT_NO_THROW(apply_options(socket_.get(), options_, true));
  }).join();
  EXPECT_EQ(send_buffer_bytes(socket_.get()), 64 << 10);
}

}  // namespace
}  // namespace ringmark
