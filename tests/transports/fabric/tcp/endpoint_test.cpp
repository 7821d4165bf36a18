#include "transports/fabric/tcp/endpoint.hpp"

#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "tests/contract/tcp_ranks.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// As long as it lives this process can open no file.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    check_sys(::getrlimit(RLIMIT_NOFILE, &before_), "read the limit of open files");
    const FileDescriptor lowest(check_sys(::dup(STDERR_FILENO), "open a file"));
    const rlimit now{static_cast<rlim_t>(lowest.get()), before_.rlim_max};
    check_sys(::setrlimit(RLIMIT_NOFILE, &now), "set the limit of open files");
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(TcpEndpoint, that_can_open_no_file_says_so_when_somebody_waits_and_accepts_when_it_can) {
  const auto endpoints = tcp_endpoints(2, {});
  auto& endpoint = *endpoints.front();
  const auto& address = endpoint.address(0);
  FileDescriptor stranger(
      check_sys(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket"));
  {
    const NoMoreFiles none;
    EXPECT_NO_THROW(endpoint.serve());  // nobody waits
    check_sys(::connect(stranger.get(), address.get(), address.length), "connect");
    try {
      endpoint.serve();
      ADD_FAILURE() << "nothing was said";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code().value(), EMFILE);
      EXPECT_NE(std::string(error.what()).find("raise ulimit -n"), std::string::npos) << error.what();
    }
  }
  stranger = FileDescriptor();
  for (const auto soon = Deadline::after(std::chrono::seconds(10)); endpoint.refused() == 0 && !soon.passed();)
    endpoint.serve();
  EXPECT_EQ(endpoint.refused(), 1);
}

}  // namespace
}  // namespace ringmark
