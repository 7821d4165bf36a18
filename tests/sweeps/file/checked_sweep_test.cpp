#include "sweeps/file/checked_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/base/problem_texts.hpp"

namespace ringmark::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> problems_of(const std::string& text, Purpose purpose = Purpose::run) {
  try {
    check_sweep(text, "s.yaml", {}, purpose);
  } catch (const BadUsage& error) {
    return testing_support::texts(error.problems());
  }
  return {};
}

TEST(CheckedSweep, tells_keys_flags_and_values_at_once_in_the_order_of_lines) {
  EXPECT_THAT(problems_of("question: Why?\n"
                          "program: all-reduce\n"
                          "ranks: 4\n"
                          "arguments:\n"
                          "  iters: 0\n"
                          "  --warmup: -1\n"
                          "variables:\n"
                          "  algorithm: [ring, rnig]\n"
                          "  tcp.slice: {from: 1}\n"
                          "  tcp.sokets: [1]\n"
                          "exclude: [{tcp.slice: 1, algorithm: ring}]\n"
                          "repitions: 3\n"),
              ElementsAre(HasSubstr("s.yaml:5: --iters 0"), AllOf(HasSubstr("s.yaml:6: "), HasSubstr("without dashes")),
                          HasSubstr("s.yaml:8: --algorithm rnig"), HasSubstr("s.yaml:9: variables.tcp.slice"),
                          AllOf(HasSubstr("s.yaml:10: "), HasSubstr("tcp.sokets")),
                          AllOf(HasSubstr("s.yaml:11: "), HasSubstr("tcp.slice")), HasSubstr("s.yaml:12: ")));
}

TEST(CheckedSweep, has_a_hint_at_the_long_name_of_a_short_flag) {
  EXPECT_THAT(problems_of("question: Why?\nprogram: all-reduce\nranks: 4\narguments: {b: 1M}\n"),
              ElementsAre(AllOf(HasSubstr("s.yaml:4: "), HasSubstr("--min-bytes"))));
}

TEST(CheckedSweep, parts_that_were_left_out_cause_no_problems_of_their_own) {
  EXPECT_THAT(problems_of("question: Why?\nprogram: replay\nranks: 4\n"
                          "arguments:\n  --model: opt-125m\n  zero: 2\n  device: [a100]\n"),
              ElementsAre(HasSubstr("s.yaml:5: ")));
  EXPECT_THAT(problems_of("question: Why?\nprogram: all-reuce\nranks: 4\narguments: {iters: 0}\n"),
              ElementsAre(HasSubstr("s.yaml:2: ")));
}

TEST(CheckedSweep, can_be_run_though_it_cannot_be_tuned) {
  const std::string text = "question: Why?\nprogram: all-reduce\nranks: 4\narguments: {sizes: [1K, 2K]}\n";
  EXPECT_THAT(problems_of(text), testing::IsEmpty());
  EXPECT_THAT(problems_of(text, Purpose::tune),
              ElementsAre(HasSubstr("nothing to tune"), HasSubstr("tune.objective is missing")));
}

}  // namespace
}  // namespace ringmark::sweep
