#include "sweeps/argument_check.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/sweep_file.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems(const std::string& rest, const std::string& program = "all-reduce") {
  const auto file = read_sweep("question: Why?\nranks: 4\nprogram: " + program + "\n" + rest, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return check_arguments(file.sweep, Plan(file.sweep), "s.yaml");
}

TEST(Arguments, are_judged_by_the_programs_own_parsers) {
  EXPECT_THAT(problems("variables: {transport: [tcp, mpi], tcp.sockets: [unset, 2]}\n"
                       "exclude: [{transport: mpi, tcp.sockets: 2}]\n"),
              IsEmpty());
  EXPECT_THAT(
      problems("arguments: {iters: 0}\n"
               "variables:\n"
               "  algorithm:\n"
               "    - ring\n"
               "    - rnig\n"
               "  tcp.sokets: [unset, 1]\n"),
      testing::UnorderedElementsAre(HasSubstr("s.yaml:4: --iters 0: "), HasSubstr("s.yaml:8: --algorithm rnig: "),
                                    HasSubstr("s.yaml:9: --set tcp.sokets=1: ")));
}

TEST(Arguments, are_told_with_the_line_of_their_own_name) {
  EXPECT_THAT(problems("arguments: {tcp.sokets: 2}\n"
                       "variables: {op: [sum, max]}\n"),
              ElementsAre(HasSubstr("s.yaml:4: --set tcp.sokets=2: ")));
  EXPECT_THAT(problems("arguments: {zero: 2, model: opt-125m, device: a100, scale-sizes: -1}\n"
                       "variables: {warmup: [1], micro-batch: [1]}\n",
                       "replay"),
              ElementsAre(HasSubstr("s.yaml:4: --scale-sizes -1")));
}

TEST(Arguments, need_hosts_for_all_ranks) {
  EXPECT_THAT(problems("hosts: [a, b]\nvariables: {warmup: [1]}\n"),
              ElementsAre(HasSubstr("s.yaml:4: hosts: 4 ranks, 1 ")));
}

TEST(Arguments, of_nccl_are_refused_where_nothing_goes_over_it) {
  const std::string variables = "variables: {NCCL_ALGO: [unset, Ring]}\n";
  EXPECT_THAT(problems(variables), ElementsAre(HasSubstr("NCCL_ALGO: ")));
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
              ElementsAre(HasSubstr("s.yaml:4: --model nosuchmodel")));
}

TEST(Arguments, are_held_against_each_other) {
  const std::string over_nccl = "arguments: {transport: nccl}\n";
  EXPECT_THAT(problems(over_nccl + "variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [4, 8]}\n"),
              ElementsAre(HasSubstr("64 sockets")));
  EXPECT_THAT(problems(over_nccl + "variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [2, 4]}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace ringmark::sweep
