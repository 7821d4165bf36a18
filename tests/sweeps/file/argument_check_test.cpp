#include "sweeps/file/argument_check.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/file/sweep_file.hpp"
#include "tests/base/problem_texts.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<Problem> problems(const std::string& rest, const std::string& program = "all-reduce") {
  const auto file = read_sweep("question: Why?\nranks: 4\nprogram: " + program + "\n" + rest, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return check_arguments(file.sweep, Plan(file.sweep), "s.yaml");
}

/// A problem of a line, with its flag and value, and words that say why.
testing::Matcher<Problem> told(int line, const char* flag, const char* value, const char* words) {
  return testing::AllOf(testing::Field("place", &Problem::place, Place{"s.yaml", line}),
                        testing::Field("flag", &Problem::flag, flag), testing::Field("value", &Problem::value, value),
                        testing::ResultOf(
                            "printed", [](const Problem& each) { return to_text(each); }, HasSubstr(words)));
}

TEST(Arguments, need_one_node_where_ranks_are_started_locally) {
  const std::string local = "launcher: local\narguments: {sizes: 1K}\n";
  EXPECT_THAT(problems(local), IsEmpty());
  EXPECT_THAT(problems(local + "ranks_per_node: 4\n"), IsEmpty());
  EXPECT_THAT(problems(local + "ranks_per_node: 2\n"), ElementsAre(told(6, "ranks_per_node", "", "2 nodes")));
  EXPECT_THAT(problems(local + "hosts: [a, b, c, d]\n"), ElementsAre(told(6, "hosts", "", "4 nodes")));
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
      UnorderedElementsAre(told(4, "--iters", "0", "give a number"), told(8, "--algorithm", "rnig", "auto:FILE, ring"),
                           told(9, "--set", "tcp.sokets=1", "unknown option")));
}

TEST(Arguments, are_told_with_the_line_of_their_own_name) {
  EXPECT_THAT(problems("arguments: {tcp.sokets: 2}\n"
                       "variables: {op: [sum, max]}\n"),
              ElementsAre(told(4, "--set", "tcp.sokets=2", "unknown option")));
  EXPECT_THAT(problems("arguments: {zero: 2, model: opt-125m, device: a100, scale-sizes: -1}\n"
                       "variables: {warmup: [1], micro-batch: [1]}\n",
                       "replay"),
              ElementsAre(told(4, "--scale-sizes", "-1", "give a number")));
  EXPECT_THAT(problems("arguments: {check: 0}\n"
                       "variables:\n"
                       "  op: [sum,\n"
                       "       max,\n"
                       "       add]\n"),
              ElementsAre(told(8, "--op", "add", "is unknown")));
}

TEST(Arguments, need_hosts_for_all_ranks) {
  EXPECT_THAT(problems("hosts: [a, b]\nvariables: {warmup: [1]}\n"),
              ElementsAre(told(4, "hosts", "", "4 ranks, 1 on each node, need 4 hosts")));
}

TEST(Arguments, of_nccl_are_refused_where_nothing_goes_over_it) {
  const std::string variables = "variables: {NCCL_ALGO: [unset, Ring]}\n";
  EXPECT_THAT(problems(variables), ElementsAre(told(4, "NCCL_ALGO", "", "has no effect with --transport tcp")));
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
  EXPECT_THAT(
      problems("arguments: {model: nosuchmodel, zero: 7}\nvariables: {warmup: [1]}\n", "replay"),
      UnorderedElementsAre(told(4, "--model", "nosuchmodel", "shipped model"), told(4, "--zero", "7", "from 0 to 3")));
}

TEST(Arguments, are_held_against_each_other) {
  const std::string over_nccl = "arguments: {transport: nccl}\n";
  EXPECT_THAT(problems(over_nccl + "variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [4, 8]}\n"),
              ElementsAre(told(5, "NCCL_NSOCKS_PERTHREAD", "8", "more than 64 sockets")));
  EXPECT_THAT(problems(over_nccl + "variables: {NCCL_SOCKET_NTHREADS: [4, 16], NCCL_NSOCKS_PERTHREAD: [2, 4]}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace ringmark::sweep
