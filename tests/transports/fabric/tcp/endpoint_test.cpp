#include "transports/fabric/tcp/endpoint.hpp"

#include <atomic>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "transports/bootstrap/rendezvous_bootstrap.hpp"
#include "transports/fabric/tcp/messages.hpp"

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

/// Says something to an endpoint from outside, and lets it listen until it has answered or refused.
void say(TcpEndpoint& endpoint, const std::string& bytes) {
  const auto& address = endpoint.address(endpoint.rank());
  const FileDescriptor stranger(
      check_sys(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket"));
  check_sys(::connect(stranger.get(), address.get(), address.length), "connect");
  check_sys(::send(stranger.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), "send");
  const auto soon = Deadline::after(std::chrono::seconds(10));
  for (std::array<char, welcome_bytes> answer; !soon.passed();) {
    endpoint.serve();
    if (::recv(stranger.get(), answer.data(), answer.size(), MSG_DONTWAIT) >= 0 || !would_block()) return;
  }
}

const std::string loss_of_1 = encode(notice_exchange, Loss{.rank = 1, .reason = "killed"});

TEST(TcpEndpoint, believes_a_notice_of_a_loss_only_with_the_token) {
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(2);
  const auto endpoints = tcp_endpoints(meeting, {});
  auto& endpoint = *endpoints.front();
  const auto token = decode<Listener>(Listener::exchange, meeting->complete.front(), "rank 0").token;
  const Hello notice{HelloKind::abort, 1, 0, 0, 0, 0};
  say(endpoint, write_hello(notice, loss_of_1, RunToken::random()));
  EXPECT_FALSE(endpoint.notice());
  // The bytes that a listener records while a connection is set up are of no use to it.
  auto forged = write_hello({HelloKind::stream, 1, 0, 1, 0, 0}, "", token);
  forged[10] = static_cast<char>(HelloKind::abort);
  say(endpoint, forged);
  EXPECT_FALSE(endpoint.notice());
  EXPECT_EQ(endpoint.refused(), 2);
  say(endpoint, write_hello(notice, loss_of_1, token));
  ASSERT_TRUE(endpoint.notice());
  EXPECT_EQ(endpoint.notice()->rank, 1);
}

TEST(TcpEndpoint, that_hears_of_a_lost_link_tells_the_end_that_could_not_be_told) {
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(3);
  const auto endpoints = tcp_endpoints(meeting, {});
  const auto token = decode<Listener>(Listener::exchange, meeting->complete.front(), "rank 0").token;
  const auto text = encode(notice_exchange, Loss{.rank = 0, .reason = "silence", .link_to = 1});
  say(*endpoints[2], write_hello({HelloKind::abort, 1, 2, 0, 0, static_cast<std::uint32_t>(text.size())}, text, token));
  std::jthread others([&](const std::stop_token& end) {
    while (!end.stop_requested()) {
      for (const int rank : {0, 1}) endpoints[static_cast<std::size_t>(rank)]->serve();
    }
  });
  EXPECT_THROW(endpoints[2]->throw_if_told(), LinkLost);
  others.request_stop();
  others.join();
  ASSERT_TRUE(endpoints[0]->notice());
  EXPECT_EQ(endpoints[0]->notice()->link_to, 1);
}

/// Four ranks that meet at rank 0, of which rank 1 loses its link to rank 2 and has told rank 0 alone.
class LossToldToRank0 {
 public:
  void tell() {
    Rank self(*this, 1);
    auto attempt = self.endpoint->attempt(0, {.kind = HelloKind::abort}, encode(notice_exchange, link_1_to_2_));
    while (!attempt.advance()) std::this_thread::yield();
  }
  /// `since` is when the rank looks at what it was told.
  void hear(int rank, const std::atomic<int>& since) {
    Rank self(*this, rank);
    since.wait(0);
    try {
      for (;;) self.endpoint->throw_if_told();
    } catch (const LinkLost&) {
      ++named;
    }
    self.endpoint.reset();
    self.bootstrap.finish(exit_failed);
  }

  std::atomic<int> named = 0;

 private:
  struct Rank {
    Rank(const LossToldToRank0& all, int rank)
        : bootstrap({.launcher = "test", .host = "127.0.0.1", .port = all.port_, .rank = rank, .ranks = 4}, "",
                    std::chrono::seconds(20)),
          endpoint(TcpEndpoint::create(bootstrap, {})) {}
    RendezvousBootstrap bootstrap;
    std::shared_ptr<TcpEndpoint> endpoint;
  };

  const Loss link_1_to_2_{.rank = 1, .reason = "silence", .link_to = 2};
  std::uint16_t port_ = tcp_endpoints(1, {}).front()->address(0).port();
};

TEST(TcpEndpoint, of_rank_0_that_hears_of_a_lost_link_tells_a_rank_that_looks_when_rank_0_is_gone) {
  LossToldToRank0 ranks;
  const std::atomic<int> at_once = 1;
  std::atomic<int> rank_0_is_gone = 0;
  in_threads(4, [&](int rank) {
    if (rank == 1) {
      ranks.tell();
    } else {
      ranks.hear(rank, rank == 3 ? rank_0_is_gone : at_once);
    }
    if (rank != 0) return;
    rank_0_is_gone = 1;
    rank_0_is_gone.notify_all();
  });
  EXPECT_EQ(ranks.named, 3);
}

TEST(TcpEndpoint, refuses_a_hello_that_was_recorded) {
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(3);
  const auto endpoints = tcp_endpoints(meeting, {});
  const auto token = decode<Listener>(Listener::exchange, meeting->complete.front(), "rank 0").token;
  const auto recorded = write_hello({HelloKind::stream, 1, 0, 1, 0, 0}, "", token);
  say(*endpoints[0], recorded);
  EXPECT_EQ(endpoints[0]->refused(), 0);
  say(*endpoints[0], recorded);
  EXPECT_EQ(endpoints[0]->refused(), 1);
  say(*endpoints[2], recorded);  // it was for another rank
  EXPECT_EQ(endpoints[2]->refused(), 1);
}

}  // namespace
}  // namespace ringmark
