// The countable costs of an operation: system calls, bytes through the kernel, allocations, instructions.
// One thread drives all ranks in turn, so that the counts are the same in every run.
#include <atomic>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/flags/sizes.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "tests/programs/shell.hpp"

namespace {

struct Counts {
  long sends = 0, receives = 0, allocations = 0;  ///< calls that moved something
  long long sent_bytes = 0, received_bytes = 0;
};
Counts counts;

long note_sent(long bytes) {
  counts.sends += bytes > 0 ? 1 : 0;
  counts.sent_bytes += std::max(bytes, 0L);
  return bytes;
}
long note_received(long bytes) {
  counts.receives += bytes > 0 ? 1 : 0;
  counts.received_bytes += std::max(bytes, 0L);
  return bytes;
}

}  // namespace

// In place of the C library's, for the whole program.
extern "C" {
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return note_sent(::syscall(SYS_sendmsg, fd, message, flags));
}
ssize_t send(int fd, const void* buffer, std::size_t bytes, int flags) {
  return note_sent(::syscall(SYS_sendto, fd, buffer, bytes, flags, nullptr, 0));
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return note_received(::syscall(SYS_recvmsg, fd, message, flags));
}
ssize_t recv(int fd, void* buffer, std::size_t bytes, int flags) {
  return note_received(::syscall(SYS_recvfrom, fd, buffer, bytes, flags, nullptr, nullptr));
}
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++counts.allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ringmark {
namespace {

using namespace testing_support;

class OperationCost : public testing::Test {
 protected:
  void prepare(int ranks, Collective collective, std::size_t bytes, const std::string& algorithm,
               const LinkCost& link = assumed_link) {
    operation_ = {collective, DataType::float32, ReduceOp::sum, count_for(collective, DataType::float32, ranks, bytes)};
    group_ = tcp_ranks(ranks, {}, {.algorithm = algorithm, .link = link});
    for (int rank = 0; rank < ranks; ++rank) buffers_.emplace_back(operation_, rank, ranks, false);
    in_threads(ranks, [&](int rank) {  // connects
      const auto self = static_cast<std::size_t>(rank);
      group_[self]->run(operation_, buffers_[self].get(), std::chrono::seconds(10));
    });
    for (int i = 0; i < 20; ++i) run();
  }

  /// One operation on all ranks; what it cost altogether.
  [[gnu::noinline]] Counts run() {
    counts = {};
    std::array<Ticket, 8> tickets;
    for (std::size_t rank = 0; rank < group_.size(); ++rank) {
      tickets[rank] = group_[rank]->start(operation_, buffers_[rank].get());
    }
    bool all = false;
    while (!all) {
      all = true;
      for (std::size_t rank = 0; rank < group_.size(); ++rank) all &= group_[rank]->test(tickets[rank]);
    }
    return counts;
  }

  Operation operation_;
  Communicators group_;
  std::vector<TestBuffers> buffers_;
};

TEST_F(OperationCost, of_a_short_vector_is_one_call_each_way_and_step) {
  struct Case {
    Collective collective;
    std::size_t bytes;
    const char* algorithm;
    long long sent_bytes;  // of a rank
  };
  for (const auto& each : {Case{Collective::all_reduce, 4, "recursive_doubling", 2 * 4},
                           Case{Collective::reduce_scatter, 64, "recursive_halving", 32 + 16},
                           Case{Collective::all_gather, 64, "recursive_doubling", 16 + 32},
                           Case{Collective::all_gather, 64, "bruck", 16 + 32}}) {
    SCOPED_TRACE(each.algorithm);
    constexpr int ranks = 4, steps = 2;
    group_.clear(), buffers_.clear();
    prepare(ranks, each.collective, each.bytes, each.algorithm);
    const auto cost = run();
    EXPECT_EQ(cost.sends, ranks * steps);
    EXPECT_EQ(cost.receives, ranks * steps);
    EXPECT_EQ(cost.sent_bytes, ranks * each.sent_bytes);
    EXPECT_EQ(cost.allocations, 0);
  }
}

// On a link where messages cost much against bytes: chunks of 24 KiB, of which the last step sends two.
TEST_F(OperationCost, of_a_step_with_several_chunks_is_one_call) {
  constexpr int ranks = 4, steps = 2;
  constexpr LinkCost link{40, 1e-3};
  for (const auto& [collective, algorithm] :
       {std::pair{Collective::all_gather, "recursive_doubling"}, std::pair{Collective::all_gather, "bruck"},
        std::pair{Collective::reduce_scatter, "recursive_halving"}}) {
    SCOPED_TRACE(algorithm);
    group_.clear(), buffers_.clear();
    prepare(ranks, collective, 96 << 10, algorithm, link);
    EXPECT_EQ(run().sends, ranks * steps);
  }
}

TEST_F(OperationCost, of_large_vectors_is_what_must_be_sent_and_no_byte_more) {
  struct Case {
    Collective collective;
    int passes;
  };
  for (const auto& [collective, passes] :
       {Case{Collective::all_reduce, 2}, Case{Collective::reduce_scatter, 1}, Case{Collective::all_gather, 1}}) {
    constexpr int ranks = 4;
    constexpr std::size_t bytes = 4 << 20;
    group_.clear(), buffers_.clear();
    prepare(ranks, collective, bytes, "ring");
    const auto cost = run();
    const long long must = static_cast<long long>(passes) * (ranks - 1) * static_cast<long long>(bytes);
    EXPECT_EQ(cost.sent_bytes, must) << name(collective);
    EXPECT_EQ(cost.received_bytes, must) << name(collective);
    EXPECT_EQ(cost.allocations, 0) << name(collective);
    // Slices of 128 KiB; a socket takes and gives less at a time when it is full or empty.
    const long slices = must / (128 << 10);
    EXPECT_LE(cost.sends, 2 * slices) << name(collective);
    EXPECT_LE(cost.receives, 2 * slices) << name(collective);
  }
}

TEST_F(OperationCost, does_not_grow_from_one_operation_to_the_next) {
  prepare(3, Collective::all_reduce, 100'000, "ring");
  const auto first = run();
  for (int i = 0; i < 50; ++i) {
    const auto next = run();
    EXPECT_EQ(next.sent_bytes, first.sent_bytes);
    EXPECT_EQ(next.allocations, 0);
  }
}

// Instructions of this program, those of the kernel left out, for 4 bytes on four ranks: eight messages.
TEST_F(OperationCost, of_a_small_message_in_instructions) {
  constexpr int repetitions = 1000, prepared = 20;
  if (std::getenv("RINGMARK_IN_CALLGRIND") != nullptr) {
    prepare(4, Collective::all_reduce, 4, "recursive_doubling");
    for (int i = 0; i < repetitions; ++i) run();
    return;
  }
  if (std::string(RINGMARK_OPTIMISE_MEASURED) != "-O3")
    GTEST_SKIP() << "the bound is for -O3, this is " << RINGMARK_OPTIMISE_MEASURED;
  if (testing_support::run("valgrind --version").status != 0) GTEST_SKIP() << "valgrind is not installed";
  const auto counted = testing_support::run(
      fmt::format(
          "RINGMARK_IN_CALLGRIND=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no "
          "'--toggle-collect=*OperationCost::run*' {} --gtest_filter=OperationCost.of_a_small_message_in_instructions",
          std::filesystem::read_symlink("/proc/self/exe").string()),
      300);
  const auto at = counted.output.find("Collected : ");
  ASSERT_NE(at, std::string::npos) << counted.output;
  const double instructions = std::stod(counted.output.substr(at + 12)) / (repetitions + prepared);
  RecordProperty("instructions", std::to_string(instructions));
  EXPECT_GT(instructions, 1000) << "nothing was counted";
  EXPECT_LT(instructions, 24000);
}

}  // namespace
}  // namespace ringmark
