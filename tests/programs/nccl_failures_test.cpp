// Refusals and failures of the programs on NCCL, with fake libraries of NVIDIA's.
#include <gtest/gtest.h>

#include "tests/programs/nccl_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(NcclPrograms, what_nccl_refuses_is_a_row_in_its_words_and_the_rest_goes_on) {
  const auto refused = measure("NCCL_ALGO=Tree", "all-gather", "--ranks 2 --sizes 1K,4K -n 5");
  EXPECT_EQ(refused.status, 4) << refused.output;
  auto all = rows();
  ASSERT_EQ(all.size(), 4U);
  for (const auto& row : all) {
    EXPECT_EQ(row.status, Status::unsupported);
    EXPECT_TRUE(has(row.detail, "AllGather")) << row.detail;
  }
  EXPECT_EQ(measure("NCCL_ALGO=Tree", "all-reduce", "--ranks 2 --sizes 1K -n 5").status, 0);
  EXPECT_EQ(rows().back().algorithm_used, "Tree");
}

TEST_F(NcclPrograms, ranks_on_one_gpu_are_refused_or_marked) {
  const auto refused = measure("FAKE_GPUS=1", "all-reduce", "--ranks 2 --sizes 1K -n 5");
  EXPECT_EQ(refused.status, 4) << refused.output;
  EXPECT_TRUE(has(refused.output, "nccl.share_gpu=1")) << refused.output;
  const auto shared = measure("FAKE_GPUS=1", "all-reduce", "--ranks 2 --sizes 1M -n 20 --set nccl.share_gpu=1");
  EXPECT_EQ(shared.status, 0) << shared.output;
  EXPECT_TRUE(has(shared.output, "# time-sliced: ")) << shared.output;
  for (const auto& row : rows()) {
    EXPECT_EQ(row.time_sliced, 1);
    EXPECT_EQ(row.network, Network::tcp);
    EXPECT_EQ(row.caveats, std::vector<Caveat>{SharedGpu{}});
  }
}

TEST_F(NcclPrograms, bad_variables_are_refused_before_anything_starts) {
  for (const std::string variable :
       {"NCCL_ALGO=Foo", "NCCL_NTHREADS=100", "NCCL_ALG0=Ring", "NCCL_CHECK_DISABLE=1", "NCCL_NET_GDR_LEVEL=phb"}) {
    const auto result = measure(variable, "all-reduce", "--ranks 2");
    EXPECT_EQ(result.status, 2) << variable << ": " << result.output;
    EXPECT_TRUE(has(result.output, variable)) << result.output;
  }
}

TEST_F(NcclPrograms, without_a_gpu_or_a_library_the_reason_is_told) {
  const auto no_gpu = measure("FAKE_GPUS=0", "all-reduce", "--ranks 2");
  EXPECT_EQ(no_gpu.status, 4) << no_gpu.output;
  EXPECT_TRUE(has(no_gpu.output, "no CUDA-capable device")) << no_gpu.output;
  const auto no_library = measure("", "all-reduce", "--ranks 2 --set nccl.library=/nowhere/libnccl.so.2");
  EXPECT_EQ(no_library.status, 4) << no_library.output;
  EXPECT_TRUE(has(no_library.output, "/nowhere/libnccl.so.2")) << no_library.output;
  const auto no_such = measure("FAKE_GPUS=2", "all-reduce", "--ranks 2 --set nccl.device=2");
  EXPECT_EQ(no_such.status, 2) << no_such.output;
  EXPECT_TRUE(has(no_such.output, "there are 2 GPUs")) << no_such.output;
  const auto list = measure("FAKE_GPUS=2", "all-reduce", "--list");
  EXPECT_TRUE(has(list.output, "NCCL 2.28.9") && has(list.output, "GPU 1, Fake GPU, 0000:02:00.0")) << list.output;
}

TEST_F(NcclPrograms, a_collective_that_hangs_ends_with_its_time_out) {
  const auto result = measure("FAKE_NCCL=hang:1", "all-reduce", "--ranks 2 --sizes 1K -n 50 --timeout 2");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "timed out")) << result.output;
  EXPECT_EQ(rows().back().status, Status::timeout);
}

TEST_F(NcclPrograms, a_start_that_hangs_ends_with_its_time_out) {
  const auto result = measure("FAKE_NCCL=init_hang", "all-reduce", "--ranks 2 --sizes 1K -n 50 --timeout 2");
  EXPECT_EQ(result.status, 3) << result.output;
}

TEST_F(NcclPrograms, an_asynchronous_error_is_told_in_nccls_words) {
  const auto result = measure("FAKE_NCCL=error:1", "all-reduce", "--ranks 2 --sizes 1K -n 50 --timeout 5");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "remote process exited or there was a network error")) << result.output;
}

/// Measures a small size and then a large one for long; rank 1 is killed during the latter. Without the loss it would
/// go on beyond run()'s time limit.
std::string killed_when_row_1_is_there(const std::string& rows) {
  return " --sizes 1K,16M -n 2000 --in-place no & " + until_rows(rows, 1) + "; " + kill_rank_1 + "; wait $!";
}

TEST_F(NcclPrograms, a_killed_rank_is_named_by_the_others) {
  const auto result =
      measure("", "all-reduce", "--ranks 3 --timeout 1000" + killed_when_row_1_is_there(results_.file("r.csv")));
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1")) << result.output;
}

TEST_F(NcclPrograms, a_process_ends_even_if_abort_does_not_return) {
  const auto result = measure("FAKE_NCCL=stuck_abort", "all-reduce",
                              "--ranks 2 --timeout 5" + killed_when_row_1_is_there(results_.file("r.csv")));
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "ncclCommAbort")) << result.output;
  ASSERT_EQ(rows().size(), 2U);
  // Who sees the loss first decides: our own connections, whose row stands before the abort, or NCCL.
  const bool is_by_nccl = rows()[1].status == Status::timeout;
  if (!is_by_nccl) {
    EXPECT_EQ(rows()[1].status, Status::failed);
  }
  EXPECT_TRUE(has(rows()[1].detail, is_by_nccl ? "ncclCommAbort" : "lost")) << rows()[1].detail;
}

}  // namespace
}  // namespace ringmark
