#include "transports/bootstrap/rendezvous_bootstrap.hpp"

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/system/check.hpp"
#include "tests/transports/bootstrap/meeting_fixture.hpp"
#include "transports/bootstrap/host_identity.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using std::chrono::milliseconds;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Meeting, gives_every_rank_the_bytes_of_all) {
  constexpr int ranks = 5;
  std::vector<std::function<void()>> bodies;
  std::atomic<int> right = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    bodies.emplace_back([&, rank] {
      RendezvousBootstrap bootstrap(place(rank, ranks), "a secret", milliseconds(20'000));
      for (int round = 0; round < 3; ++round) {
        const auto all = bootstrap.all_gather(fmt::format("{} of round {}", rank, round));
        for (int other = 0; other < ranks; ++other)
          right += all[static_cast<std::size_t>(other)] == fmt::format("{} of round {}", other, round) ? 1 : 0;
      }
      bootstrap.barrier();
      bootstrap.finish(exit_ok);
    });
  }
  for (const auto& error : errors(bodies)) EXPECT_EQ(error, "");
  EXPECT_EQ(right, 3 * ranks * ranks);
}

TEST_F(Meeting, waits_for_a_rank_0_that_comes_later) {
  const auto found = errors({[&] {
                               std::this_thread::sleep_for(milliseconds(300));
                               meet(place(0, 2))();
                             },
                             meet(place(1, 2))});
  EXPECT_EQ(found, (std::vector<std::string>{"", ""}));
}

TEST_F(Meeting, names_absent_and_present_ranks_to_those_that_came) {
  const auto found = errors({meet(place(0, 4), "", milliseconds(700)), meet(place(2, 4))});
  for (const auto& error : found) {
    EXPECT_TRUE(has(error, "absent 1, 3")) << error;
    EXPECT_TRUE(has(error, "2 on ")) << error;
  }
}

TEST_F(Meeting, names_the_place_where_no_rank_0_is) {
  const auto found = errors({meet(place(1, 2), "", milliseconds(300))});
  EXPECT_TRUE(has(found[0], fmt::format("127.0.0.1 port {}", port_))) << found[0];
}

TEST_F(Meeting, names_a_host_that_does_not_resolve) {
  auto nowhere = place(1, 2);
  nowhere.host = "rank-0.invalid";
  const auto found = errors({meet(nowhere, "", milliseconds(300))});
  EXPECT_TRUE(has(found[0], "rank-0.invalid")) << found[0];
  EXPECT_TRUE(has(found[0], "does not resolve")) << found[0];
}

TEST_F(Meeting, refuses_a_number_that_two_ranks_have) {
  const auto found = errors({meet(place(0, 3)), meet(place(1, 3)), meet(place(1, 3))});
  for (const auto& error : found) EXPECT_TRUE(has(error, "two processes claim to be rank 1")) << error;
}

TEST_F(Meeting, refuses_ranks_that_were_started_for_another_number_of_ranks) {
  const auto found = errors({meet(place(0, 2)), meet(place(1, 3))});
  for (const auto& error : found) EXPECT_TRUE(has(error, "for 3 ranks")) << error;
}

TEST_F(Meeting, refuses_a_wrong_secret_and_goes_on_waiting) {
  const auto found = errors({meet(place(0, 2), "right", milliseconds(1000)), meet(place(1, 2), "wrong")});
  EXPECT_TRUE(has(found[0], "absent 1")) << found[0];
  EXPECT_TRUE(has(found[1], "RINGMARK_TOKEN")) << found[1];
}

TEST_F(Meeting, is_not_disturbed_by_strangers) {
  std::atomic<bool> over = false;
  std::thread strangers([&] {
    while (!over) {
      FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const auto address = loopback(port_);
      if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        ::send(fd.get(), "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  const auto found = errors({meet(place(0, 2)), [&] {
                               std::this_thread::sleep_for(milliseconds(200));
                               meet(place(1, 2))();
                             }});
  over = true;
  strangers.join();
  EXPECT_EQ(found, (std::vector<std::string>{"", ""}));
}

TEST_F(Meeting, counts_the_connections_that_leave_without_a_word) {
  testing::internal::CaptureStderr();
  const auto found = errors({meet(place(0, 2), "a secret"), [&] {
                               for (int left = 7; left > 0;) {
                                 const FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
                                 const auto address = loopback(port_);
                                 const auto* to = reinterpret_cast<const sockaddr*>(&address);
                                 if (::connect(fd.get(), to, sizeof address) == 0) --left;
                               }
                               meet(place(1, 2), "a secret")();
                             }});
  const auto told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(found, (std::vector<std::string>{"", ""}));
  EXPECT_TRUE(has(told, "7 from 127.0.0.1")) << told;
}

TEST_F(Meeting, refuses_a_port_in_use) {
  const auto taken = bind_any();
  ASSERT_EQ(::listen(taken.fd.get(), 1), 0);
  port_ = taken.port;
  const auto found = errors({meet(place(0, 2))});
  EXPECT_TRUE(has(found[0], fmt::format("port {}", port_))) << found[0];
  EXPECT_TRUE(has(found[0], "in use")) << found[0];
}

TEST_F(Meeting, takes_a_spare_port_and_passes_another_run_by) {
  auto in_run = [&](int rank, const std::string& run) {
    auto where = place(rank, 2);
    where.ports = 4;
    where.run = run;
    return meet(where);
  };
  const auto found = errors({in_run(0, "a"), in_run(1, "a"), in_run(0, "b"), in_run(1, "b")});
  EXPECT_EQ(found, std::vector<std::string>(4));
}

/// Allows as many open files as the system does, during its lifetime.
class ManyFiles {
 public:
  ManyFiles() {
    check_sys(::getrlimit(RLIMIT_NOFILE, &before_), "read the limit of open files");
    const rlimit raised{before_.rlim_max, before_.rlim_max};
    check_sys(::setrlimit(RLIMIT_NOFILE, &raised), "raise the limit of open files");
  }
  ~ManyFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  ManyFiles(const ManyFiles&) = delete;
  ManyFiles& operator=(const ManyFiles&) = delete;
  rlim_t allowed() const { return before_.rlim_max; }

 private:
  rlimit before_{};
};

TEST_F(Meeting, takes_a_number_of_messages_that_grows_as_the_number_of_ranks) {
  constexpr int most_ranks = 4096, spare = 100;
  const ManyFiles files;
  if (files.allowed() < 2 * most_ranks + spare) GTEST_SKIP() << "a process may not have enough open files here";
  for (const int ranks : {256, most_ranks}) {
    port_ = bind_any().port;
    std::vector<std::string> error_of_0;
    std::jthread rank_0([&] { error_of_0 = errors({meet(place(0, ranks), "a secret", std::chrono::minutes(2))}); });
    // Every message that the other ranks send and receive, here one after the other: they meet, and tell their hosts.
    std::size_t messages = 0;
    std::vector<FileDescriptor> connections;
    for (int rank = 1; rank < ranks; ++rank) {
      connections.push_back(join_meeting(place(rank, ranks), "a secret", milliseconds(20'000)));
      tcp_info info{};
      socklen_t length = sizeof info;
      ASSERT_EQ(::getsockopt(connections.back().get(), IPPROTO_TCP, TCP_INFO, &info, &length), 0);
      EXPECT_LE(info.tcpi_snd_mss, 1220U) << "a path with a smaller MTU than both ends swallows more";
      // A message is smaller than a segment.
      messages += info.tcpi_data_segs_out + info.tcpi_data_segs_in;
    }
    for (const auto& connection : connections) {
      send_message(connection.get(), MessageKind::contribution, encode("host", HostIdentity{"a host", "", ""}));
      ++messages;
    }
    for (const auto& connection : connections) {
      const auto answer = receive_message(connection.get(), Deadline::after(std::chrono::minutes(1)));
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->kind, MessageKind::everything);
      ++messages;
    }
    for (const auto& connection : connections) send_message(connection.get(), MessageKind::finished, "");
    rank_0.join();
    EXPECT_EQ(error_of_0, std::vector<std::string>(1));
    for (const auto& connection : connections) {
      EXPECT_FALSE(receive_message(connection.get(), Deadline::after(std::chrono::seconds(5)))) << "one more";
    }
    EXPECT_EQ(messages, 5U * static_cast<std::size_t>(ranks - 1)) << ranks;
  }
}

}  // namespace
}  // namespace ringmark
