#include "transports/fabric/tcp/tcp_fabric.hpp"

#include <atomic>
#include <csignal>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/communicator_contract.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "transports/bootstrap/local_bootstrap.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TcpOptions with(std::initializer_list<std::pair<std::string_view, std::string_view>> settings) {
  TcpOptions options;
  for (const auto& [key, value] : settings) TcpOptions::table().apply(options, key, value);
  return options;
}

const Backend over_ipv4 = in_process("ipv4", [](int n) { return tcp_ranks(n, with({{"tcp.family", "ipv4"}})); });
const Backend over_ipv6 = in_process("ipv6", [](int n) { return tcp_ranks(n, with({{"tcp.family", "ipv6"}})); });
const Backend over_several_sockets = in_process("three_sockets_and_small_slices", [](int n) {
  return tcp_ranks(n, with({{"tcp.sockets", "3"}, {"tcp.spin", "0"}}), {.slice_bytes = 4096});
});
INSTANTIATE_TEST_SUITE_P(Tcp, CommunicatorContract, testing::Values(over_ipv4, over_ipv6, over_several_sockets),
                         backend_name);

class TcpSchedules : public testing::TestWithParam<std::string_view> {};

TEST_P(TcpSchedules, are_exact_over_sockets) {
  for (const int ranks : {2, 3, 4, 5, 8}) {
    const auto group = tcp_ranks(ranks, {}, {.algorithm = std::string(GetParam()), .slice_bytes = 512}, 2);
    in_threads(ranks, [&](int rank) { check_combinations(*group[static_cast<std::size_t>(rank)]); });
  }
}

std::set<std::string_view> all_algorithms() {
  std::set<std::string_view> names;
  for (const auto collective : all_collectives()) {
    for (const auto algorithm : algorithms_for(collective)) names.insert(algorithm);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Tcp, TcpSchedules, testing::ValuesIn(all_algorithms()),
                         [](const auto& entry) { return std::string(entry.param); });

/// A client that connects to a rank's listening port as anybody could.
class Intruder {
 public:
  explicit Intruder(const SocketAddress& address)
      : fd_(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(::connect(fd_.get(), address.get(), address.length), 0);
  }
  void say(std::string_view text) { EXPECT_GE(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL), 0); }
  /// The other end's answer until it closes, bounded by the socket's time-out.
  std::string hear() {
    const timeval limit{10, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::array<char, 256> buffer;
    const auto bytes = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    return std::string(buffer.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  }

 private:
  FileDescriptor fd_;
};

TEST(TcpUnknownPeers, in_great_number_do_not_push_ranks_aside) {
  const auto endpoints = tcp_endpoints(2, {});
  std::vector<Intruder> silent;
  for (int i = 0; i < 300; ++i) silent.emplace_back(endpoints[1]->address(1));
  Communicators group;
  for (const auto& endpoint : endpoints) {
    group.push_back(std::make_unique<ScheduleCommunicator>("tcp", std::make_unique<TcpFabric>(endpoint, 1),
                                                           Topology::flat(2), ScheduleOptions{}));
  }
  in_threads(2, [&](int rank) { check_combinations(*group[static_cast<std::size_t>(rank)]); });
}

TEST(TcpUnknownPeers, change_nothing) {
  const auto endpoints = tcp_endpoints(3, {});
  Communicators group;
  for (const auto& endpoint : endpoints) {
    group.push_back(std::make_unique<ScheduleCommunicator>("tcp", std::make_unique<TcpFabric>(endpoint, 1),
                                                           Topology::flat(3), ScheduleOptions{}));
  }
  std::vector<Intruder> silent, loud;
  for (int rank = 0; rank < 3; ++rank) {
    silent.emplace_back(endpoints[0]->address(rank));
    loud.emplace_back(endpoints[0]->address(rank)).say(std::string(5000, 'x'));
    // Right in everything but the token.
    const Hello hello{HelloKind::stream, 0, static_cast<std::uint32_t>(rank), 1, 0, 0};
    loud.emplace_back(endpoints[0]->address(rank)).say(write_hello(hello, "", RunToken::random()));
  }
  for (int round = 0; round < 5; ++round) {
    run_in_threads(group, {Collective::all_reduce, DataType::float32, ReduceOp::sum, 10000}, false);
    run_in_threads(group, {Collective::all_gather, DataType::float32, ReduceOp::sum, 1000}, true);
  }
  // A fabric of its own makes every rank listen again; by then the loud ones have been heard and refused.
  in_threads(3, [&](int rank) {
    const std::vector<int> all{0, 1, 2};
    const auto copy = group[static_cast<std::size_t>(rank)]->split(all, Deadline::after(std::chrono::seconds(10)));
    std::int32_t one = 1, sum = 0;
    copy->run({Collective::all_reduce, DataType::int32, ReduceOp::sum, 1}, {&one, &sum}, std::chrono::seconds(10));
    EXPECT_EQ(sum, 3);
  });
  for (auto& intruder : loud) EXPECT_EQ(intruder.hear(), "") << "a stranger got an answer";
  for (const auto& endpoint : endpoints) EXPECT_GE(endpoint->refused(), 1);
}

/// Runs four ranks as processes; `victim` does `end` in the middle of a collective. Returns how many of the others saw
/// PeerLost with the victim's name within the limit.
int witnesses_of(int ranks, int victim, const std::string& algorithm, const std::function<void()>& end) {
  int pipe_ends[2];
  EXPECT_EQ(::pipe(pipe_ends), 0);
  run_local_ranks(
      ranks, std::chrono::seconds(20),
      [&](Bootstrap& bootstrap) {
        const auto endpoint = TcpEndpoint::create(bootstrap, {});
        ScheduleCommunicator self("tcp", std::make_unique<TcpFabric>(endpoint, 1), Topology::flat(ranks),
                                  {.algorithm = algorithm});
        const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, 1 << 20};
        std::vector<float> send(operation.count), recv(operation.count);
        constexpr std::chrono::seconds far{60};
        const auto start = Clock::now();
        try {
          self.run(operation, {send.data(), recv.data()}, far);
          if (bootstrap.rank() == victim) {
            self.start(operation, {send.data(), recv.data()});
            end();
          }
          for (;;) self.run(operation, {send.data(), recv.data()}, far);
        } catch (const PeerLost& lost) {
          const bool in_time = Clock::now() - start < std::chrono::seconds(5);
          const char named = lost.rank() == victim && in_time ? 'y' : 'n';
          EXPECT_EQ(::write(pipe_ends[1], &named, 1), 1);
        }
        bootstrap.finish(3);
        return 3;
      },
      {}, std::chrono::seconds(20));
  ::close(pipe_ends[1]);
  int witnesses = 0;
  for (char named = 0; ::read(pipe_ends[0], &named, 1) == 1;) witnesses += named == 'y';
  ::close(pipe_ends[0]);
  return witnesses;
}

TEST(TcpLoss, of_a_killed_rank_is_named_by_every_other) {
  EXPECT_EQ(witnesses_of(4, 2, "ring", [] { ::raise(SIGKILL); }), 3);
  EXPECT_EQ(witnesses_of(4, 0, "recursive_doubling", [] { ::raise(SIGKILL); }), 3);
  EXPECT_EQ(witnesses_of(5, 3, "binomial_tree", [] { ::raise(SIGKILL); }), 4);
}

TEST(TcpLoss, of_a_rank_that_leaves_is_named_by_every_other) {
  EXPECT_EQ(witnesses_of(3, 1, "ring", [] { ::_exit(0); }), 2);
}

/// In a ring a rank waits for its neighbour, which may wait as well.
TEST(TcpLoss, of_a_rank_that_no_longer_answers_is_named_by_ranks_that_wait_for_others) {
  constexpr int ranks = 4, victim = 1;
  const auto endpoints = tcp_endpoints(ranks, {});
  std::vector<std::string> seen(ranks);
  std::atomic<int> left = ranks - 1;
  in_threads(ranks, [&](int rank) {
    ScheduleCommunicator self("tcp", std::make_unique<TcpFabric>(endpoints[static_cast<std::size_t>(rank)], 1),
                              Topology::flat(ranks), {.algorithm = "ring"});
    const Operation operation{Collective::all_reduce, DataType::float32, ReduceOp::sum, 1024};
    std::vector<float> send(operation.count), recv(operation.count);
    self.run(operation, {send.data(), recv.data()}, std::chrono::seconds(60));
    if (rank == victim) {
      while (left > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return;
    }
    try {
      for (;;) self.run(operation, {send.data(), recv.data()}, std::chrono::milliseconds(200));
    } catch (const TransportError& error) {
      seen[static_cast<std::size_t>(rank)] = error.what();
    }
    --left;
  });
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == victim) continue;
    const auto& text = seen[static_cast<std::size_t>(rank)];
    EXPECT_NE(text.find(fmt::format("rank {} on ", victim)), std::string::npos) << rank << ": " << text;
    EXPECT_NE(text.find("(--timeout)"), std::string::npos) << rank << ": " << text;
  }
}

/// Sends a number both ways between two ranks of each fabric, which are already connected.
void exchange_numbers(std::vector<std::unique_ptr<TcpFabric>>& fabrics) {
  const auto deadline = Deadline::after(std::chrono::seconds(60));
  std::vector<std::uint64_t> mine(fabrics.size()), theirs(fabrics.size());
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    const int peer = 1 - fabrics[i]->rank();
    mine[i] = 2 * i + static_cast<std::uint64_t>(fabrics[i]->rank());
    fabrics[i]->receive(peer, {reinterpret_cast<std::byte*>(&theirs[i]), sizeof theirs[i]});
    fabrics[i]->send(peer, std::as_bytes(std::span(&mine[i], 1)));
  }
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    const int peer = 1 - fabrics[i]->rank();
    while (fabrics[i]->received(peer) < 1 || fabrics[i]->sent(peer) < 1) {
      fabrics[i]->progress(deadline);
      ASSERT_FALSE(deadline.passed());
    }
    ASSERT_EQ(theirs[i], 2 * i + static_cast<std::uint64_t>(peer)) << "of fabric " << i;
  }
}

/// One rank connects its fabrics in order, the other in the opposite order, so that all connections are open before
/// most of them are asked for: two fabrics of one number would take each other's.
void connect_in_opposite_orders(int rank, std::vector<std::unique_ptr<TcpFabric>>& fabrics) {
  const auto deadline = Deadline::after(std::chrono::seconds(60));
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    auto& fabric = *fabrics[rank == 0 ? i : fabrics.size() - 1 - i];
    fabric.connect(std::array{1 - fabric.rank()}, deadline);
  }
}

TEST(TcpSplits, of_one_fabric_and_of_its_neighbour_share_no_connection) {
  const auto endpoints = tcp_endpoints(2, {});
  in_threads(2, [&](int rank) {
    const auto& endpoint = endpoints[static_cast<std::size_t>(rank)];
    TcpFabric first(endpoint, 1), second(endpoint, 2);
    std::vector<std::unique_ptr<TcpFabric>> fabrics;
    for (int i = 0; i < 2000; ++i) fabrics.push_back(first.split_tcp(all_ranks(2)));
    for (int i = 0; i < 100; ++i) fabrics.push_back(second.split_tcp(all_ranks(2)));
    connect_in_opposite_orders(rank, fabrics);
    exchange_numbers(fabrics);
  });
}

TEST(TcpSplits, of_splits_share_no_connection) {
  constexpr int depth = 8;
  const auto endpoints = tcp_endpoints(2, {});
  in_threads(2, [&](int rank) {
    std::vector<std::unique_ptr<TcpFabric>> fabrics;
    fabrics.push_back(std::make_unique<TcpFabric>(endpoints[static_cast<std::size_t>(rank)], 1));
    // Two of each, which makes a tree.
    for (std::size_t parent = 0; fabrics.size() < (2U << depth) - 1; ++parent) {
      for (int twin = 0; twin < 2; ++twin) fabrics.push_back(fabrics[parent]->split_tcp(all_ranks(2)));
    }
    // Two lines so long that a product of their ancestors' numbers would no longer tell them apart.
    for (const std::uint64_t ancestor : {2, 3}) {
      fabrics.push_back(std::make_unique<TcpFabric>(endpoints[static_cast<std::size_t>(rank)], ancestor));
      for (int generation = 0; generation < 3 * depth; ++generation)
        fabrics.push_back(fabrics.back()->split_tcp(all_ranks(2)));
    }
    connect_in_opposite_orders(rank, fabrics);
    exchange_numbers(fabrics);
  });
}

TEST(TcpTimeout, names_the_rank_that_is_late) {
  const auto endpoints = tcp_endpoints(2, {});
  const std::vector<int> peers[2] = {{1}, {0}};
  std::vector<std::unique_ptr<ScheduleCommunicator>> group;
  for (const auto& endpoint : endpoints) {
    group.push_back(std::make_unique<ScheduleCommunicator>("tcp", std::make_unique<TcpFabric>(endpoint, 1),
                                                           Topology::flat(2), ScheduleOptions{}));
  }
  in_threads(2, [&](int rank) {
    std::int32_t one = 1, sum = 0;
    const Operation operation{Collective::all_reduce, DataType::int32, ReduceOp::sum, 1};
    auto& self = *group[static_cast<std::size_t>(rank)];
    self.run(operation, {&one, &sum}, std::chrono::seconds(10));
    if (rank == 1) return;  // never joins the second operation
    try {
      self.run(operation, {&one, &sum}, std::chrono::milliseconds(300));
      ADD_FAILURE() << "nothing was noticed";
    } catch (const TransportError& error) {
      EXPECT_NE(std::string(error.what()).find("timed out waiting for rank 1"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
}  // namespace ringmark
