#include "sweeps/argument_check.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/command.hpp"
#include "sweeps/sweep_file.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Extent extent(const std::string& rest) {
  const auto file = read_sweep("question: Why?\nranks: 4\n" + rest, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return extent_of(resolve(file.sweep, Plan(file.sweep).setting(0)));
}

std::vector<std::string> problems(const std::string& rest, const std::string& program = "all-reduce") {
  const auto file = read_sweep("question: Why?\nranks: 4\nprogram: " + program + "\n" + rest, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return check_arguments(file.sweep, Plan(file.sweep), "s.yaml");
}

TEST(Arguments, of_nccl_are_refused_where_nothing_goes_over_it) {
  const std::string variables = "variables: {NCCL_ALGO: [unset, Ring]}\n";
  EXPECT_THAT(problems(variables), ElementsAre(testing::HasSubstr("NCCL_ALGO: has no effect with --transport tcp")));
  EXPECT_THAT(problems("arguments: {transport: nccl}\n" + variables), IsEmpty());
  EXPECT_THAT(problems("variables: {transport: [tcp, nccl], NCCL_ALGO: [unset, Ring]}\n"
                       "exclude: [{transport: tcp, NCCL_ALGO: Ring}]\n"),
              IsEmpty());
}

TEST(Arguments, of_a_step_are_judged_by_the_ranks_of_the_sweep) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("ds.json")) << R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4,
                                              "gradient_accumulation_steps": 2})";
  EXPECT_THAT(problems("arguments: {model: opt-125m, device: a100, ds-config: " + folder.file("ds.json") +
                           "}\nvariables: {warmup: [1]}\n",
                       "replay"),
              IsEmpty());
  EXPECT_THAT(problems("arguments: {model: nosuchmodel, zero: 7}\nvariables: {warmup: [1]}\n", "replay"),
              ElementsAre(testing::HasSubstr("s.yaml:4: --model nosuchmodel")));
}

TEST(Arguments, are_held_against_each_other) {
  const std::string over_nccl = "arguments: {transport: nccl}\n";
  EXPECT_THAT(problems(over_nccl + "variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [4, 8]}\n"),
              ElementsAre(testing::HasSubstr("more than 64 sockets")));
  EXPECT_THAT(problems(over_nccl + "variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [2, 4]}\n"),
              IsEmpty());
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
