// Ranks within one process, for tests: driven in turn by one thread, or a thread each.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bench/harness/verify.hpp"
#include "transports/communicator.hpp"

namespace ringmark::testing_support {

using Communicators = std::vector<std::unique_ptr<Communicator>>;

/// Runs body(rank) in a thread for each rank; rethrows the first exception.
inline void in_threads(int ranks, const std::function<void(int)>& body) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// Tells all threads of a group the greatest of what they pass to it.
class Slowest {
 public:
  explicit Slowest(int ranks) : told_(static_cast<std::size_t>(ranks)), meeting_(ranks) {}
  double of(int rank, double mine) {
    told_[static_cast<std::size_t>(rank)] = mine;
    meeting_.arrive_and_wait();
    const double most = *std::max_element(told_.begin(), told_.end());
    meeting_.arrive_and_wait();
    return most;
  }

 private:
  std::vector<double> told_;
  std::barrier<> meeting_;
};

/// One rank's buffers for an operation, filled; guard bytes around the result tell of writes out of bounds, and the
/// send buffer must come out unchanged where it is not the result.
class TestBuffers {
 public:
  TestBuffers(const Operation& operation, int rank, int ranks, bool in_place)
      : operation_(operation), verifier_(operation, rank, ranks), in_place_(in_place) {
    const auto layout = layout_of(operation, ranks, rank);
    const std::size_t offset = in_place_offset_bytes(operation, rank);
    const bool recv_is_larger = !sends_all_blocks(operation.collective);
    send_.resize(in_place ? 0 : layout.send_bytes + 1);
    recv_.assign((in_place ? std::max(layout.recv_bytes, layout.send_bytes) : layout.recv_bytes) + 2 * guard,
                 std::byte{0xa5});
    if (in_place) {
      buffers_.send = recv_.data() + guard + (recv_is_larger ? offset : 0);
      buffers_.recv = recv_.data() + guard + (recv_is_larger ? 0 : offset);
    } else {
      buffers_ = {send_.data(), recv_.data() + guard};
    }
    verifier_.fill(const_cast<void*>(buffers_.send));
    original_ = send_;
  }

  Buffers get() const { return buffers_; }

  void expect_right() const {
    EXPECT_EQ(verifier_.count_wrong(buffers_.recv), 0U);
    for (std::size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(recv_[i], std::byte{0xa5});
      ASSERT_EQ(recv_[recv_.size() - 1 - i], std::byte{0xa5});
    }
    EXPECT_TRUE(in_place_ || send_ == original_) << "the send buffer was changed";
  }

 private:
  static constexpr std::size_t guard = 64;
  Operation operation_;
  Verifier verifier_;
  bool in_place_;
  std::vector<std::byte> send_, recv_, original_;
  Buffers buffers_;
};

/// Starts an operation on every rank and advances them in turn until all are done, in one thread.
inline void run_in_turn(Communicators& ranks, const Operation& operation, bool in_place) {
  std::vector<TestBuffers> buffers;
  std::vector<Ticket> tickets;
  const int size = static_cast<int>(ranks.size());
  for (int rank = 0; rank < size; ++rank) buffers.emplace_back(operation, rank, size, in_place);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    tickets.push_back(ranks[rank]->start(operation, buffers[rank].get()));
  }
  const auto deadline = Deadline::after(std::chrono::seconds(60));
  for (bool all_done = false; !all_done;) {
    all_done = true;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) all_done &= ranks[rank]->test(tickets[rank]);
    ASSERT_TRUE(all_done || !deadline.passed()) << "never ends";
  }
  for (const auto& buffer : buffers) buffer.expect_right();
}

/// The same with a thread for each rank that waits.
inline void run_in_threads(Communicators& ranks, const Operation& operation, bool in_place) {
  const int size = static_cast<int>(ranks.size());
  in_threads(size, [&](int rank) {
    TestBuffers buffers(operation, rank, size, in_place);
    ranks[static_cast<std::size_t>(rank)]->run(operation, buffers.get(), std::chrono::seconds(60));
    buffers.expect_right();
  });
}

inline std::string describe(const Operation& operation, int ranks, bool in_place, std::string_view algorithm) {
  std::string text = std::string(name(operation.collective)) + " " + std::string(algorithm) + " " +
                     std::string(name(operation.type)) + " " + std::string(name(operation.op)) + " count " +
                     std::to_string(operation.count) + " on " + std::to_string(ranks) + " ranks";
  return text + (in_place ? " in place" : "");
}

}  // namespace ringmark::testing_support
