#include "sweeps/overrides.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "sweeps/checked_sweep.hpp"
#include "sweeps/command.hpp"

namespace ringmark::sweep {
namespace {

const std::string fixed_ranks = R"(question: Which transport is faster?
program: all-reduce
launcher: {kind: openmpi, arguments: [--bind-to, core]}
ranks: 4
hosts: [a, b]
arguments: {sizes: 1K}
variables: {transport: [tcp, mpi]}
)";

std::vector<std::string> words_of(const CheckedSweep& checked) {
  const auto resolved = resolve(checked.sweep, checked.plan.setting(0));
  return launch_command(checked.sweep, resolved, {"program"}).words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Overrides, take_the_place_of_the_files_values) {
  Overrides overrides;
  overrides.ranks = 16;
  overrides.ranks_per_node = 2;
  overrides.hosts = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
  overrides.launcher = "mpich";
  const auto words = words_of(check_sweep(fixed_ranks, "s.yaml", overrides));
  EXPECT_EQ(words.front(), "mpirun.mpich");
  EXPECT_TRUE(has(words, "16"));
  EXPECT_TRUE(has(words, "n1,n2,n3,n4,n5,n6,n7,n8"));
  EXPECT_FALSE(has(words, "--bind-to")) << "arguments of the other launcher";
}

TEST(Overrides, keep_the_launchers_arguments_if_it_stays_the_same) {
  Overrides overrides;
  overrides.launcher = "openmpi";
  overrides.ranks = 2;
  EXPECT_TRUE(has(words_of(check_sweep(fixed_ranks, "s.yaml", overrides)), "--bind-to"));
}

TEST(Overrides, refuse_a_key_that_the_sweep_varies) {
  const std::string varied =
      "question: How does it scale?\nprogram: all-reduce\nlauncher: local\narguments: {sizes: 1K}\n"
      "variables: {ranks: [2, 4]}\n";
  Overrides overrides;
  overrides.ranks = 8;
  try {
    check_sweep(varied, "s.yaml", overrides);
    FAIL() << "nothing was refused";
  } catch (const BadUsage& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_EQ(error.problems().front().flag, "--ranks");
  }
}

TEST(Overrides, are_checked_like_the_files_values) {
  Overrides overrides;
  overrides.ranks = 64;
  EXPECT_THROW(check_sweep(fixed_ranks, "s.yaml", overrides), BadUsage) << "two hosts for 64 nodes";
}

TEST(Overrides, come_back_from_json) {
  Overrides overrides;
  EXPECT_EQ(nlohmann::json(overrides).get<Overrides>(), overrides);
  overrides.ranks = 3;
  overrides.hosts = {"a"};
  overrides.launcher = "srun";
  EXPECT_EQ(nlohmann::json(overrides).get<Overrides>(), overrides);
}

TEST(Hosts, of_a_file_may_be_in_slurms_notation) {
  auto text = fixed_ranks;
  text.replace(text.find("[a, b]"), 6, "\"n[01-04]\"");
  EXPECT_TRUE(has(words_of(check_sweep(text, "s.yaml")), "n01:1,n02:1,n03:1,n04:1"));
}

}  // namespace
}  // namespace ringmark::sweep
