#include "sweeps/argument_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/command.hpp"
#include "sweeps/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Extent extent(const std::string& rest) {
  const auto file = read_sweep("question: Why?\nranks: 4\n" + rest, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return extent_of(resolve(file.sweep, Plan(file.sweep).setting(0)));
}

TEST(Arguments, are_held_against_each_other) {
  const auto problems = [](const std::string& rest) {
    const auto file = read_sweep("question: Why?\nranks: 4\nprogram: all-reduce\n" + rest, "s.yaml");
    EXPECT_THAT(file.problems, IsEmpty());
    return check_arguments(file.sweep, Plan(file.sweep), "s.yaml");
  };
  EXPECT_THAT(problems("variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [4, 8]}\n"),
              ElementsAre(testing::HasSubstr("more than 64 sockets")));
  EXPECT_THAT(problems("variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [2, 4]}\n"), IsEmpty());
}

TEST(Extent, of_collectives_is_each_size_each_way) {
  const auto found = extent(
      "program: all-reduce\narguments: {sizes: \"1K,4K\", in-place: both, max-time: 2}\nvariables: {warmup: [1]}\n");
  EXPECT_THAT(found.sizes, ElementsAre(1024, 4096));
  EXPECT_EQ(found.rows, 4U);
  EXPECT_EQ(found.seconds, 8);
}

TEST(Extent, of_links_is_that_of_their_tests_and_pairs) {
  EXPECT_THAT(extent("program: link\narguments: {test: latency}\nvariables: {warmup: [1]}\n").sizes, ElementsAre(8));
  const auto bandwidth = extent("program: link\narguments: {test: bandwidth}\nvariables: {warmup: [1]}\n");
  EXPECT_THAT(bandwidth.sizes, ElementsAre(1 << 20));
  EXPECT_EQ(bandwidth.rows, 1U);
  EXPECT_EQ(extent("program: link\narguments: {test: bandwidth, pairs: all}\nvariables: {warmup: [1]}\n").rows, 12U);
}

}  // namespace
}  // namespace ringmark::sweep
