#include "base/datatype.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(DataTypes, are_read_as_they_are_written) {
  for (const auto type : all_datatypes()) EXPECT_EQ(parse_datatype(name(type)), type);
  for (const auto op : all_reduce_ops()) EXPECT_EQ(parse_reduce_op(name(op)), op);
  EXPECT_FALSE(parse_datatype("floaty"));
}

TEST(DataTypes, have_the_names_of_nccl_tests_too) {
  EXPECT_EQ(parse_datatype("float"), DataType::float32);
  EXPECT_EQ(parse_datatype("half"), DataType::float16);
  EXPECT_EQ(parse_datatype("double"), DataType::float64);
  EXPECT_EQ(parse_datatype("f8e5m2"), DataType::float8_e5m2);
  EXPECT_EQ(parse_datatype("char"), DataType::int8);
  EXPECT_EQ(parse_datatype("int"), DataType::int32);
}

TEST(DataTypes, have_the_short_names_of_frameworks_too) {
  EXPECT_EQ(parse_datatype("bf16"), DataType::bfloat16);
  EXPECT_EQ(parse_datatype("fp16"), DataType::float16);
  EXPECT_EQ(parse_datatype("fp32"), DataType::float32);
  EXPECT_EQ(parse_datatype("fp64"), DataType::float64);
  EXPECT_EQ(parse_datatype("fp8_e4m3"), DataType::float8_e4m3);
}

}  // namespace
}  // namespace ringmark
