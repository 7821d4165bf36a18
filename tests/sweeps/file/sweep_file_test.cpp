#include "sweeps/file/sweep_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string start = "question: Why?\nprogram: all-reduce\n";

std::vector<std::string> file_problems(const std::string& text) {
  return testing_support::texts(read_sweep(text, "s.yaml").problems);
}
Sweep good(const std::string& text) {
  auto file = read_sweep(text, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return file.sweep;
}

TEST(SweepFile, names_decide_what_a_variable_is) {
  const auto sweep =
      good(start + "variables:\n  transport: [tcp]\n  tcp.sockets: [1]\n  NCCL_ALGO: [Ring]\n  ranks: [2]\n");
  ASSERT_EQ(sweep.variables.size(), 4U);
  EXPECT_EQ(sweep.variables[0].target, Target::flag);
  EXPECT_EQ(sweep.variables[1].target, Target::setting);
  EXPECT_EQ(sweep.variables[2].target, Target::environment);
  EXPECT_EQ(sweep.variables[3].target, Target::ranks);
}

TEST(SweepFile, unset_is_a_value_unless_quoted) {
  const auto sweep = good(start + "variables: {UCX_TLS: [unset, tcp, \"unset\"]}\nenvironment: {A: ~, B: unset}\n");
  EXPECT_THAT(sweep.variables[0].values, ElementsAre(std::nullopt, "tcp", "unset"));
  EXPECT_EQ(sweep.environment.at("A"), std::nullopt);
  EXPECT_EQ(sweep.environment.at("B"), std::nullopt);
}

TEST(SweepFile, values_are_words_numbers_lists_and_ranges) {
  const auto sweep = good(start +
                          "variables:\n  tcp.sockets: [unset, 1, 2]\n  tcp.slice: {from: 16K, to: 1M, factor: 8}\n"
                          "  iters: {from: 10, to: 30, step: 10, unset: true}\n  sizes: [[1K, 1M], 8]\n"
                          "  algorithm: [ring, auto]\n");
  EXPECT_THAT(sweep.variables[0].values, ElementsAre(std::nullopt, "1", "2"));
  EXPECT_TRUE(sweep.variables[0].ordered);
  EXPECT_THAT(sweep.variables[1].values, ElementsAre("16K", "128K", "1M"));
  EXPECT_TRUE(sweep.variables[1].ordered);
  EXPECT_THAT(sweep.variables[2].values, ElementsAre(std::nullopt, "10", "20", "30"));
  EXPECT_THAT(sweep.variables[3].values, ElementsAre("1K,1M", "8"));
  EXPECT_FALSE(sweep.variables[4].ordered);
  const auto wide =
      good(start + "variables: {a: {from: 1T, to: 2T, factor: 16M}, b: {from: 1, to: 100000, step: 1}}\n");
  EXPECT_THAT(wide.variables[0].values, ElementsAre("1T"));
  EXPECT_EQ(wide.variables[1].values.size(), 100'000U);
}

TEST(SweepFile, every_problem_is_told_at_once_with_its_line) {
  EXPECT_THAT(file_problems("question: Why?\n"
                            "program: all-reuce\n"
                            "ranks: many\n"
                            "repitions: 3\n"
                            "deadline: 5\n"
                            "variables:\n"
                            "  tcp.sockets: []\n"
                            "  algorithm: [ring, ring]\n"
                            "  csv: [a]\n"
                            "zip: [[tcp.sockets, tcp.slice]]\n"
                            "exclude:\n"
                            "  - {algorithm: tree}\n"),
              ElementsAre(HasSubstr("s.yaml:2: program: 'all-reuce'"), HasSubstr("s.yaml:3: ranks: 'many' "),
                          HasSubstr("s.yaml:4: sweep: 'repitions' "), HasSubstr("s.yaml:5: deadline: '5' "),
                          HasSubstr("s.yaml:7: variables.tcp.sockets: "),
                          HasSubstr("s.yaml:8: variables.algorithm: ring "), HasSubstr("s.yaml:9: variables.csv: "),
                          AllOf(HasSubstr("s.yaml:10: zip: "), HasSubstr("'tcp.slice'")),
                          AllOf(HasSubstr("s.yaml:12: exclude: algorithm "), HasSubstr(" tree"))));
}

TEST(SweepFile, refuses_what_cannot_be_meant) {
  const auto told = [](const std::string& more, const std::string& what) {
    const auto problems = file_problems(start + more);
    EXPECT_THAT(problems, testing::Contains(HasSubstr(what))) << more;
  };
  told("ranks: 2\nranks: 4\n", "'ranks' is given twice");
  told("arguments: {NCCL_ALGO: Ring}\n", "put it under environment");
  told("environment: {NCCL_NTHREADS: 100}\n", "in steps of 32");
  told("variables: {NCCL_ALGO: [Ring, Rang]}\n", "'rang' is unknown");
  told("arguments: {--iters: 3}\n", "without dashes");
  told("arguments: {repetition: 3}\n", "give 'repetitions' at the top");
  told("arguments: {set: [tcp.sockets=4, tcp.slice=1M]}\n", "tcp.sockets: 4");
  told("arguments: {iters: 3}\nvariables: {iters: [1, 2]}\n", "also has a fixed value");
  told("variables: {ranks: [two]}\n", "not a whole number of 1 or more");
  told("variables: {tcp.slice: {from: 1, to: 4}}\n", "either step or factor");
  told("variables: {tcp.slice: {from: 0, to: 4, factor: 2}}\n", "either step or factor");
  told("variables: {a: 1}\n", "give a list of values");
  told("launcher: {kind: custom, command: [mpiexec]}\n", "{command}");
  told("launcher: {command: [x, \"{command}\"], arguments: [-v]}\n", "not allowed with kind: custom");
  told("launcher: lsf\n", "'lsf' is unknown; give one of mpich, openmpi, srun, slurm, torchrun, none, local, custom");
  told("hosts: no-such-file\n", "hosts: no-such-file: ");
  told("tune: {objective: fast}\n", "is not a size");
  told("tune: {objective: {trace: no-such-trace.jsonl}}\n", "no such file");
  told("tune: {objective: {column: busbw_GBps}}\n", "larger values of");
  told("tune: {search: simplex}\n", "give one of grid, random, bayesian");
  told("? [a]\n: b\n", "a key must be one word");
  EXPECT_THAT(file_problems("a: [b\n"), ElementsAre(HasSubstr("is not YAML")));
  EXPECT_THAT(file_problems(""), ElementsAre(HasSubstr("is not a map"), HasSubstr("question: is missing"),
                                             HasSubstr("program: is missing")));
  EXPECT_THAT(file_problems(std::string(2 << 20, ' ')), ElementsAre(HasSubstr("longer than 1 MiB")));
}

}  // namespace
}  // namespace ringmark::sweep
