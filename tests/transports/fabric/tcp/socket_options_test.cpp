#include "transports/fabric/tcp/socket_options.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/system/files.hpp"

namespace ringmark {
namespace {

/// Drops the capability of the calling thread alone.
void drop_net_admin() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  check_sys(static_cast<int>(::syscall(SYS_capget, &header, sets.data())), "read capabilities");
  sets[0].effective &= ~(1U << CAP_NET_ADMIN);
  check_sys(static_cast<int>(::syscall(SYS_capset, &header, sets.data())), "drop a capability");
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
    // Twice as much must still be an int of the kernel's.
    constexpr std::size_t most = 256 << 20;
    if (!read_number<std::size_t>(read_text_if_readable("/proc/sys/net/core/wmem_max"), 1, most, limit_bytes_))
      GTEST_SKIP() << "net.core.wmem_max is not shown here, or is beyond 256 MiB";
  }
  /// The refusal in a thread that may not pass the limit; empty if there is none.
  std::string ask_humbly_for(std::size_t bytes) {
    options_.send_buffer_bytes = bytes;
    std::string problem;
    std::thread([&] {
      try {
        drop_net_admin();
        apply_options(socket_.get(), options_, true);
      } catch (const BadUsage& error) {
        problem = error.what();
      } catch (const std::exception& error) {
        problem = std::string("something else: ") + error.what();
      }
    }).join();
    return problem;
  }

  FileDescriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  TcpOptions options_;
  std::size_t limit_bytes_ = 0;
};

TEST_F(SocketBuffer, beyond_the_limit_is_refused_to_whoever_may_not_pass_it) {
  const auto problem = ask_humbly_for(2 * limit_bytes_);
  EXPECT_NE(problem.find("tcp.send_buffer"), std::string::npos) << problem;
  EXPECT_NE(problem.find("raise net.core.wmem_max"), std::string::npos) << problem;
}

TEST_F(SocketBuffer, beyond_the_limit_is_had_by_whoever_may) {
  options_.send_buffer_bytes = 2 * limit_bytes_;
  const int wanted = static_cast<int>(options_.send_buffer_bytes);
  const FileDescriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::setsockopt(other.get(), SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof wanted) != 0)
    GTEST_SKIP() << "needs CAP_NET_ADMIN outside of a user namespace";
  apply_options(socket_.get(), options_, true);
  EXPECT_GE(send_buffer_bytes(socket_.get()), wanted);
}

TEST_F(SocketBuffer, within_the_limit_is_had_by_everyone) {
  const auto bytes = std::min<std::size_t>(limit_bytes_, 64 << 10);
  EXPECT_EQ(ask_humbly_for(bytes), "");
  EXPECT_GE(static_cast<std::size_t>(send_buffer_bytes(socket_.get())), bytes);
}

}  // namespace
}  // namespace ringmark
