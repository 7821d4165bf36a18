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
}

}  // namespace
}  // namespace ringmark
