#include "transports/nccl/names.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(NcclNames, of_collectives_include_those_that_we_lack) {
  EXPECT_EQ(collective_of_nccl("AlltoAll"), Collective::all_to_all);
  EXPECT_EQ(collective_of_nccl("Gather"), Collective::gather);
  EXPECT_FALSE(collective_of_nccl("Send"));
  EXPECT_TRUE(is_nccl_function("Send"));
  EXPECT_FALSE(is_nccl_function("all_reduce"));
}

TEST(NcclNames, numbers_of_types_and_reductions_read_back) {
  for (const auto type : all_datatypes()) EXPECT_EQ(datatype_of_nccl(nccl_number(type)), type) << name(type);
  for (const auto op : all_reduce_ops()) EXPECT_EQ(reduce_op_of_nccl(nccl_number(op)), op) << name(op);
  EXPECT_EQ(nccl_number(DataType::float32), 7);
  EXPECT_EQ(nccl_number(ReduceOp::min), 3);
  for (const int number : {-1, 12}) EXPECT_FALSE(datatype_of_nccl(number)) << number;
  for (const int number : {-1, 5}) EXPECT_FALSE(reduce_op_of_nccl(number)) << number;
}

}  // namespace
}  // namespace ringmark
