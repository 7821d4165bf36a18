// Each form of line as NCCL 2.28.9 prints it (src/enqueue.cc, init.cc), and older ones.
#include "transports/nccl/call_lines.hpp"

#include <gtest/gtest.h>

#include "transports/nccl/names.hpp"

namespace ringmark {
namespace {

TEST(NcclCall, of_the_info_log) {
  const auto line = split_nccl_line(
      "n:1:2 [0] NCCL INFO AllReduce: opCount 1a sendbuff 0x7f00 recvbuff (nil) count 4096 datatype 9 op 0 root 0 comm "
      "0x55d0 [nranks=8] stream 0x55aa");
  ASSERT_TRUE(line);
  const auto call = read_nccl_call(*line);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->function, "AllReduce");
  EXPECT_EQ(call->count, 4096U);
  EXPECT_EQ(datatype_of_nccl(call->type), DataType::bfloat16);
  EXPECT_EQ(reduce_op_of_nccl(call->op), ReduceOp::sum);
  EXPECT_EQ(call->communicator, "0x55d0");
  EXPECT_EQ(call->ranks, 8);
  EXPECT_EQ(call->stream, "0x55aa");
  EXPECT_EQ(call->op_count, 0x1aU);
  EXPECT_FALSE(read_nccl_call(*split_nccl_line("n:1:2 [0] NCCL INFO AllReduce: opCount 1a sendbuff 0x7f00 recvb")));
}

TEST(NcclCall, of_the_call_trace) {
  const auto line = split_nccl_line("n:1:2 NCCL CALL ncclReduceScatter(7f00,7f80,512,7,2,0,0x55d0,0x55aa)");
  ASSERT_TRUE(line);
  const auto call = read_nccl_call(*line);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->function, "ReduceScatter");
  EXPECT_EQ(call->count, 512U);
  EXPECT_EQ(reduce_op_of_nccl(call->op), ReduceOp::max);
  EXPECT_EQ(call->communicator, "0x55d0");
  EXPECT_FALSE(read_nccl_call(*split_nccl_line("n:1:2 NCCL CALL ncclReduceScatter(7f00,7f80,512,7,2")));
  EXPECT_FALSE(read_nccl_call(*split_nccl_line("n:1:2 NCCL CALL ncclGetUniqueId(0x1879)")));
  EXPECT_EQ(read_nccl_call(*split_nccl_line("n:1:2 NCCL CALL ncclAllReduce(1,2,8,7,0,0,0xa,(nil))"))->stream, "(nil)");
  EXPECT_EQ(read_nccl_group(*split_nccl_line("n:1:2 NCCL CALL ncclGroupEnd()")), NcclGroupLine::end);
  EXPECT_EQ(read_nccl_group(*split_nccl_line("n:1:2 NCCL CALL ncclGroupSimulateEnd()")), NcclGroupLine::simulated);
}

TEST(NcclCommunicatorLine, tells_who_is_in_it) {
  const auto comm = read_nccl_communicator(
      "ncclCommInitRankConfig comm 0x55d0 rank 3 nranks 8 cudaDev 3 nvmlDev 3 busId 9a000 commId 0xabc - Init "
      "COMPLETE");
  ASSERT_TRUE(comm);
  EXPECT_EQ(comm->communicator, "0x55d0");
  EXPECT_EQ(comm->rank, 3);
  EXPECT_EQ(comm->ranks, 8);
  EXPECT_EQ(comm->id, "0xabc");
  EXPECT_FALSE(read_nccl_communicator("ncclCommInitRank comm 0x55d0 rank 3 nranks 8 - Init START"));
}

TEST(NcclCommLine, may_be_of_a_split_or_of_an_old_version) {
  const auto split = read_nccl_communicator("ncclCommSplit(0xa, 1, 0, 0xb, 3, 4)");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->parent, "0xa");
  EXPECT_EQ(split->communicator, "0xb");
  EXPECT_EQ(split->rank, 3);
  EXPECT_EQ(split->ranks, 4);
  EXPECT_FALSE(read_nccl_communicator("ncclCommSplit(0xa, -1, 0, (nil), 0, 0)"));
  const auto old = read_nccl_communicator("comm 0xa rank 1 nranks 2 cudaDev 5 busId 1000 - Init COMPLETE");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->communicator, "0xa");
  EXPECT_EQ(old->device, 5);
  EXPECT_EQ(read_nccl_communicator("ncclCommInitRank(0xa, 2, 0x1879, 1, 3)")->device, 3);
}

}  // namespace
}  // namespace ringmark
