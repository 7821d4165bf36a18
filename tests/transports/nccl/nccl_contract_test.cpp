// NCCL's communicator over fake libraries (tests/nvidia), whose devices are this machine's memory: what every
// communicator promises, and what happens when NCCL fails.
#include <dlfcn.h>

#include "tests/contract/communicator_contract.hpp"
#include "tests/contract/thread_bootstrap.hpp"
#include "transports/nccl/nccl_communicator.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

NcclOptions fake(const char* library, bool graph = false) {
  NcclOptions options;
  options.library = std::string(RINGMARK_FAKES) + "/" + library;
  options.graph = graph;
  options.buffer = NcclBuffer::plain;
  return options;
}

Communicators nccl_ranks(int ranks, const NcclOptions& options) {
  const auto meeting = std::make_shared<ThreadBootstrap::Meeting>(ranks);
  std::vector<std::shared_ptr<NcclRuntime>> runtimes;
  for (int rank = 0; rank < ranks; ++rank)
    runtimes.push_back(std::make_shared<NcclRuntime>(system_cuda_driver(), options, rank, rank));
  Communicators group(static_cast<std::size_t>(ranks));
  in_threads(ranks, [&](int rank) {
    ThreadBootstrap bootstrap(meeting, rank);
    const auto r = static_cast<std::size_t>(rank);
    group[r] = std::make_unique<NcclCommunicator>(
        runtimes[r], rank, ranks,
        NcclPeers{[&](std::string_view mine) { return bootstrap.all_gather(mine).front(); }, [] {},
                  std::chrono::seconds(30)});
  });
  return group;
}

Backend stand_in(const std::string& name, const std::function<Communicators(int ranks)>& make) {
  auto backend = in_process(name, make);
  backend.knows_full_groups_alone = true;
  return backend;
}

INSTANTIATE_TEST_SUITE_P(
    Nccl, CommunicatorContract,
    testing::Values(stand_in("nccl", [](int ranks) { return nccl_ranks(ranks, fake("libnccl.so.2")); }),
                    stand_in("nccl_graph", [](int ranks) { return nccl_ranks(ranks, fake("libnccl.so.2", true)); })),
    backend_name);

/// Marks are what renews the patience, and what nccl-tests has not.
TEST(NcclBatches, have_marks_now_and_then) {
  auto* const marks =
      reinterpret_cast<int (*)()>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "fake_cuda_marks"));
  ASSERT_NE(marks, nullptr);
  const auto group = nccl_ranks(1, fake("libnccl.so.2"));
  const Operation operation{Collective::all_reduce, DataType::int32, ReduceOp::sum, 1};
  std::int32_t a = 1, b = 0;
  constexpr std::chrono::seconds minute{60};
  constexpr double quick_us = 500;
  do group[0]->run(operation, {&a, &b}, minute);
  while (group[0]->device()->last_launch()->device_us > quick_us);  // it was interrupted
  const auto marks_of = [&](std::size_t operations, Clock::duration patience) {
    const int before = marks();
    group[0]->run_batch(operation, std::vector<Buffers>(operations, {&a, &b}), patience);
    return marks() - before;
  };
  EXPECT_EQ(marks_of(20, minute), 0) << "as many as nccl-tests has by itself";
  EXPECT_EQ(marks_of(2500, minute), 2);
}

TEST(NcclLibrary, says_what_it_lacks) {
  EXPECT_NE(open_nccl("/nowhere/libnccl.so.2").why_not.find("/nowhere/libnccl.so.2"), std::string::npos);
  EXPECT_NE(open_nccl(std::string(RINGMARK_FAKES) + "/libcuda.so.1").why_not.find("has no ncclGetVersion"),
            std::string::npos);
}

TEST(NcclLibrary, an_old_one_lacks_what_came_later) {
  auto options = fake("libnccl.so.old");
  const auto group = nccl_ranks(1, options);
  EXPECT_THROW(group[0]->split(std::array{0}, Deadline::after(std::chrono::seconds(1))), Unusable);
  options.buffer = NcclBuffer::registered;
  EXPECT_THROW(NcclRuntime(system_cuda_driver(), options, 0, 0), Unusable);
}

TEST(NcclLibrary, an_old_one_sends_all_to_all_in_a_group) {
  const auto group = nccl_ranks(3, fake("libnccl.so.old"));
  in_threads(3, [&](int rank) {
    check(*group[static_cast<std::size_t>(rank)], {Collective::all_to_all, DataType::int32, ReduceOp::sum, 100}, false);
  });
}

}  // namespace
}  // namespace ringmark
