#include "sweeps/file/variable_override.hpp"

#include <gtest/gtest.h>

#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

Sweep read() {
  return read_sweep(R"(question: Which?
program: [all-reduce, all-gather]
ranks: 2
variables:
  transport: [tcp, mpi]
  tcp.sockets: [unset, 2]
  tcp.slice: [4K, 8K]
  NCCL_ALGO: [unset, "allreduce:Ring"]
zip: [[tcp.sockets, tcp.slice]]
)",
                    "s.yaml")
      .sweep;
}

std::vector<Value> values_of(const Sweep& sweep, const std::string& name) {
  for (const auto& variable : sweep.variables) {
    if (variable.name == name) return variable.values;
  }
  return {};
}

TEST(VariableOverride, takes_lists_ranges_and_unset) {
  auto sweep = read();
  EXPECT_TRUE(override_variable("transport", "tcp", sweep).empty());
  EXPECT_EQ(values_of(sweep, "transport"), (std::vector<Value>{"tcp"}));
  EXPECT_TRUE(override_variable("tcp.sockets", "unset,8", sweep).empty());
  EXPECT_EQ(values_of(sweep, "tcp.sockets"), (std::vector<Value>{std::nullopt, "8"}));
  EXPECT_TRUE(override_variable("tcp.slice", "{from: 16K, to: 32K, factor: 2}", sweep).empty());
  EXPECT_EQ(values_of(sweep, "tcp.slice"), (std::vector<Value>{"16K", "32K"}));
  EXPECT_TRUE(override_variable("NCCL_ALGO", "allreduce:Tree", sweep).empty());
  EXPECT_EQ(values_of(sweep, "NCCL_ALGO"), (std::vector<Value>{"allreduce:Tree"}));
}

TEST(VariableOverride, takes_some_of_the_sweeps_programs) {
  auto sweep = read();
  EXPECT_TRUE(override_variable("program", "all-gather", sweep).empty());
  EXPECT_EQ(sweep.programs, std::vector{Program::all_gather});
  EXPECT_EQ(override_variable("program", "reduce-scatter", sweep).size(), 1U);
}

TEST(VariableOverride, refuses_what_the_file_could_not_have_and_changes_nothing) {
  auto sweep = read();
  for (const auto& [name, values] : std::vector<std::pair<std::string, std::string>>{{"algorithm", "ring"},
                                                                                     {"transport", "tcp,tcp"},
                                                                                     {"transport", "[tcp"},
                                                                                     {"tcp.slice", "{from: 1}"},
                                                                                     {"tcp.slice", "4K"},
                                                                                     {"NCCL_ALGO", "Rnig"}}) {
    const auto before = values_of(sweep, name);
    const auto problems = override_variable(name, values, sweep);
    ASSERT_EQ(problems.size(), 1U) << name << "=" << values;
    EXPECT_EQ(problems.front().flag, "--variable");
    EXPECT_EQ(problems.front().value, name + "=" + values);
    EXPECT_EQ(values_of(sweep, name), before);
  }
}

}  // namespace
}  // namespace ringmark::sweep
