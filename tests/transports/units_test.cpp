#include "transports/units.hpp"

#include <gtest/gtest.h>

#include "transports/datatype.hpp"
#include "transports/operation.hpp"

namespace ringmark {
namespace {

TEST(Sizes, are_powers_of_1024) {
  EXPECT_EQ(parse_size("8"), 8U);
  EXPECT_EQ(parse_size("64K"), 65536U);
  EXPECT_EQ(parse_size("64KiB"), 65536U);
  EXPECT_EQ(parse_size("64k"), 65536U);
  EXPECT_EQ(parse_size("1G"), std::size_t{1} << 30);
  EXPECT_EQ(parse_size("0"), 0U);
}

TEST(Sizes, that_could_mean_two_things_or_none_are_refused) {
  for (const char* text : {"", "K", "-1", "+1", "1.5K", "64KB", "64kB", "1 K", "1KiBs", "0x10", "1e6",
                           "99999999999999999999", "17179869184G"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

TEST(Sizes, survive_formatting) {
  for (const std::size_t size : {0UL, 1UL, 1023UL, 1024UL, 1536UL, 1UL << 20, 5UL << 30, (1UL << 40) + 1}) {
    EXPECT_EQ(parse_size(format_size(size)), size);
  }
}

TEST(Names, mean_the_same_both_ways) {
  for (const auto type : all_datatypes()) {
    EXPECT_EQ(parse_datatype(name(type)), type);
  }
  EXPECT_EQ(parse_datatype("float"), DataType::float32);
  EXPECT_EQ(parse_datatype("half"), DataType::float16);
  EXPECT_EQ(parse_datatype("double"), DataType::float64);
  for (const auto op : all_reduce_ops()) EXPECT_EQ(parse_reduce_op(name(op)), op);
  for (const auto collective : all_collectives()) EXPECT_EQ(parse_collective(name(collective)), collective);
  EXPECT_FALSE(parse_datatype("floaty"));
}

TEST(Operations, have_the_layout_of_nccl) {
  const Operation scatter{Collective::reduce_scatter, DataType::float32, ReduceOp::sum, 10};
  EXPECT_EQ(layout_of(scatter, 4).send_bytes, 160U);
  EXPECT_EQ(layout_of(scatter, 4).recv_bytes, 40U);
  EXPECT_EQ(in_place_offset_bytes(scatter, 2), 80U);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 4), 0.75);
  EXPECT_EQ(bus_factor(Collective::all_reduce, 1), 0);
}

}  // namespace
}  // namespace ringmark
