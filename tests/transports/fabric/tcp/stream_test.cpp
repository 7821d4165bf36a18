// One stream alone, over a connection of this process with itself.
#include "transports/fabric/tcp/stream.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/system/check.hpp"
#include "base/system/deadline.hpp"

namespace ringmark {
namespace {

using Bytes = std::vector<std::byte>;

FileDescriptor tcp_socket() {
  FileDescriptor made(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket"));
  constexpr int bytes = 8192;  // the kernel's buffers: less than a message of these tests
  for (const int buffer : {SO_SNDBUF, SO_RCVBUF})
    check_sys(::setsockopt(made.get(), SOL_SOCKET, buffer, &bytes, sizeof bytes), "set a buffer's size");
  return made;
}

/// Two connected sockets.
struct Connection {
  Connection() {
    const auto listening = tcp_socket();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    check_sys(::bind(listening.get(), generic, length), "bind");
    check_sys(::listen(listening.get(), 1), "listen");
    check_sys(::getsockname(listening.get(), generic, &length), "ask for the port");
    near = tcp_socket();
    check_sys(::connect(near.get(), generic, length), "connect");
    far = FileDescriptor(check_sys(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept"));
  }
  FileDescriptor near, far;
};

/// Bytes that differ from their neighbours, and from those of another seed.
Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + seed * 31);
  return bytes;
}

class TcpStreamTest : public testing::Test {
 protected:
  /// Calls `step` until `is_done`.
  template <class Done, class Step>
  void drive(Done is_done, Step step) {
    for (const auto limit = Deadline::after(std::chrono::seconds(30)); !is_done();) {
      step();
      ASSERT_FALSE(limit.passed()) << "never ends";
    }
  }
  void say(const void* from, std::size_t bytes) {
    ASSERT_EQ(::send(connection_.far.get(), from, bytes, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  }

  Connection connection_;
  TcpStream stream_{std::move(connection_.near)};
  Bytes bounce_ = Bytes(4096);
  static constexpr std::size_t much = 1 << 20;
};

TEST_F(TcpStreamTest, with_nothing_to_read_moves_nothing) {
  std::byte byte{};
  stream_.receive({&byte, 1});
  const auto moved = stream_.pump(bounce_, much);
  EXPECT_EQ(moved.bytes, 0U);
  EXPECT_EQ(moved.messages, 0U);
  EXPECT_TRUE(stream_.has_receives());
}

TEST_F(TcpStreamTest, sends_no_more_at_once_than_it_is_told) {
  const auto first = pattern(25, 1), second = pattern(5, 2);
  stream_.send(first);
  stream_.send(second);
  EXPECT_EQ(stream_.pump_sends(10).bytes, 10U);
  EXPECT_TRUE(stream_.is_blocked());
  EXPECT_EQ(stream_.sent(), 0U);
  const auto moved = stream_.pump_sends(17);  // the rest of the first, and a part of the second
  EXPECT_EQ(moved.bytes, 17U);
  EXPECT_EQ(moved.messages, 1U);
  EXPECT_TRUE(stream_.is_blocked());
  EXPECT_EQ(stream_.pump_sends(much).bytes, 3U);
  EXPECT_EQ(stream_.sent(), 2U);
  EXPECT_FALSE(stream_.is_blocked() || stream_.has_sends());
  Bytes got(30), expected = first;
  expected.insert(expected.end(), second.begin(), second.end());
  ASSERT_EQ(::recv(connection_.far.get(), got.data(), got.size(), MSG_WAITALL), 30);
  EXPECT_EQ(got, expected);
}

TEST_F(TcpStreamTest, a_message_larger_than_the_sockets_buffers_goes_in_parts) {
  const auto message = pattern(1'000'000, 3);
  Bytes got(message.size());
  TcpStream reader(std::move(connection_.far));
  stream_.send(message);
  reader.receive({got.data(), got.size()});
  EXPECT_LT(stream_.pump_sends(2 * much).bytes, message.size());
  EXPECT_TRUE(stream_.is_blocked());
  EXPECT_EQ(stream_.sent(), 0U);
  drive([&] { return reader.received() == 1; },
        [&] {
          if (stream_.has_sends()) stream_.pump_sends(2 * much);
          reader.pump(bounce_, much);
        });
  EXPECT_EQ(stream_.sent(), 1U);
  EXPECT_FALSE(stream_.is_blocked());
  EXPECT_EQ(got, message);
}

TEST_F(TcpStreamTest, elements_that_arrive_in_pieces_are_reduced_when_they_are_whole) {
  std::vector<double> incoming(100), local(100), result(100, -1);
  std::iota(incoming.begin(), incoming.end(), 1);
  std::iota(local.begin(), local.end(), 1000);
  const std::size_t bytes = incoming.size() * sizeof(double);
  stream_.receive({reinterpret_cast<std::byte*>(result.data()), bytes, reinterpret_cast<std::byte*>(local.data()),
                   reduction_for(DataType::float64, ReduceOp::sum, 2, false)});
  const auto* const from = reinterpret_cast<const std::byte*>(incoming.data());
  const std::span<std::byte> small(bounce_.data(), 13);  // itself no whole number of elements
  std::size_t said = 0, taken = 0;
  for (const std::size_t piece : {3, 1, 4, 7, 2, 9, 31, 100}) {
    say(from + said, piece);
    said += piece;
    drive([&] { return taken == said; }, [&] { taken += stream_.pump(small, much).bytes; });
    EXPECT_EQ(stream_.received(), 0U);
    const auto whole = static_cast<std::ptrdiff_t>(said / sizeof(double));
    EXPECT_EQ(std::count(result.begin(), result.end(), -1), 100 - whole) << "after " << said << " bytes";
  }
  say(from + said, bytes - said);
  drive([&] { return stream_.received() == 1; }, [&] { stream_.pump(small, much); });
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(result[i], incoming[i] + local[i]) << i;
}

TEST_F(TcpStreamTest, messages_to_reduce_and_to_copy_keep_apart) {
  // All lie in the socket before the first is read.
  std::vector<float> sent(60), got(60);
  std::iota(sent.begin(), sent.end(), 1);
  const std::size_t part = 10 * sizeof(float);
  for (std::size_t i = 0; i < 6; ++i) {
    auto* const to = reinterpret_cast<std::byte*>(&got[10 * i]);
    const bool reduces = i == 0 || i == 1 || i == 4;
    if (reduces) std::fill_n(&got[10 * i], 10, 100.0F);
    stream_.receive(reduces ? Incoming{to, part, to, reduction_for(DataType::float32, ReduceOp::sum, 2, false)}
                            : Incoming{to, part});
  }
  say(sent.data(), 6 * part);
  std::size_t messages = 0;
  drive([&] { return stream_.received() == 6; }, [&] { messages += stream_.pump(bounce_, much).messages; });
  EXPECT_EQ(messages, 6U);
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(got[i], sent[i] + (i < 20 || i / 10 == 4 ? 100.0F : 0.0F)) << "element " << i;
}

TEST_F(TcpStreamTest, a_thousand_queued_messages_arrive_in_order_both_ways) {
  constexpr std::size_t messages = 1000;  // more than one call takes, and than the queues hold at first
  TcpStream other(std::move(connection_.far));
  std::vector<Bytes> there, back, got_there, got_back;
  for (std::size_t i = 0; i < messages; ++i) {
    there.push_back(pattern(1 + i * 37 % 400, static_cast<unsigned>(i)));
    back.push_back(pattern(1 + i * 53 % 300, static_cast<unsigned>(i + 5)));
    got_there.emplace_back(there[i].size());
    got_back.emplace_back(back[i].size());
  }
  for (std::size_t i = 0; i < messages; ++i) {
    stream_.send(there[i]);
    other.receive({got_there[i].data(), got_there[i].size()});
    other.send(back[i]);
    stream_.receive({got_back[i].data(), got_back[i].size()});
  }
  drive([&] { return stream_.received() == messages && other.received() == messages; },
        [&] {
          stream_.pump(bounce_, 10'000);
          other.pump(bounce_, 10'000);
        });
  EXPECT_EQ(stream_.sent(), messages);
  EXPECT_EQ(other.sent(), messages);
  EXPECT_EQ(got_there, there);
  EXPECT_EQ(got_back, back);
}

TEST_F(TcpStreamTest, a_closed_peers_last_bytes_arrive_before_the_loss_is_told) {
  const auto message = pattern(100, 1);
  Bytes got(100), never(1);
  stream_.receive({got.data(), got.size()});
  stream_.receive({never.data(), never.size()});
  say(message.data(), message.size());
  connection_.far.reset();
  const auto pump_until_the_loss = [&] { drive([] { return false; }, [&] { stream_.pump(bounce_, much); }); };
  EXPECT_THROW(pump_until_the_loss(), StreamBroken);
  EXPECT_EQ(stream_.received(), 1U);
  EXPECT_EQ(got, message);
}

TEST_F(TcpStreamTest, a_peer_that_closes_amid_a_message_to_reduce_is_lost) {
  std::vector<float> one{1}, got{5};
  auto* const to = reinterpret_cast<std::byte*>(got.data());
  stream_.receive({to, 4, to, reduction_for(DataType::float32, ReduceOp::sum, 2, false)});
  say(one.data(), 3);
  connection_.far.reset();
  const auto pump_until_the_loss = [&] { drive([] { return false; }, [&] { stream_.pump(bounce_, much); }); };
  EXPECT_THROW(pump_until_the_loss(), StreamBroken);
  EXPECT_EQ(stream_.received(), 0U);
  EXPECT_EQ(got[0], 5);
}

TEST_F(TcpStreamTest, sending_to_a_closed_peer_is_a_loss_and_no_signal) {
  const auto message = pattern(1'000'000, 1);
  stream_.send(message);
  connection_.far.reset();
  const auto send_until_the_loss = [&] { drive([] { return false; }, [&] { stream_.pump_sends(much); }); };
  EXPECT_THROW(send_until_the_loss(), StreamBroken);
  EXPECT_EQ(stream_.sent(), 0U);
}

}  // namespace
}  // namespace ringmark
