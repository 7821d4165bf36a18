#include "sweeps/file/overrides.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "sweeps/file/checked_sweep.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"

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

TEST(Overrides, of_nodes_fill_them_with_ranks) {
  Overrides overrides;
  overrides.launcher = "none";
  overrides.ranks_per_node = 4;
  const auto ranks_on = [&](int nodes) {
    overrides.nodes = nodes;
    return check_sweep(fixed_ranks, "s.yaml", overrides).sweep.ranks;
  };
  EXPECT_EQ(ranks_on(2), 8);
  EXPECT_EQ(ranks_on(3), 12);
}

TEST(Overrides, keep_the_launchers_arguments_if_it_stays_the_same) {
  Overrides overrides;
  overrides.launcher = "openmpi";
  overrides.ranks = 2;
  EXPECT_TRUE(has(words_of(check_sweep(fixed_ranks, "s.yaml", overrides)), "--bind-to"));
}

TEST(Overrides, labels_reach_every_program_and_the_rows_of_those_that_fail) {
  Overrides overrides;
  overrides.labels = {"cluster=eu1"};
  overrides.ranks = 2;
  const auto checked = check_sweep(fixed_ranks, "s.yaml", overrides);
  const auto resolved = resolve(checked.sweep, checked.plan.setting(0));
  EXPECT_TRUE(has(program_words(resolved), "--label=cluster=eu1"));
  EXPECT_EQ(planned_row(resolved).settings.others.at("label.cluster"), "eu1");
  EXPECT_EQ(nlohmann::json(overrides).get<Overrides>(), overrides);
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

Allocation two_hosts(AllocationSource source) { return {source, "SLURM_JOB_NODELIST", {{"x", 4}, {"y", 4}}}; }

TEST(Overrides, an_allocation_gives_hosts_and_ranks_to_a_sweep_that_names_no_hosts) {
  auto text = fixed_ranks;
  text.replace(text.find("hosts: [a, b]\n"), 14, "");
  Overrides overrides;
  overrides.allocation = two_hosts(AllocationSource::slurm);
  auto checked = check_sweep(text, "s.yaml", overrides);
  EXPECT_EQ(checked.sweep.hosts, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(checked.sweep.ranks, 8);
  EXPECT_EQ(checked.sweep.ranks_per_node, 4);
  EXPECT_EQ(checked.hosts_origin.kind, HostsOrigin::Kind::allocation);
  overrides.ranks_per_node = 1;
  EXPECT_EQ(check_sweep(text, "s.yaml", overrides).sweep.ranks, 2);
  EXPECT_EQ(check_sweep(text + "ranks_per_node: 2\n", "s.yaml", overrides).sweep.ranks, 2);
  overrides.ranks_per_node.reset();
  overrides.launcher = "local";
  EXPECT_TRUE(check_sweep(text, "s.yaml", overrides).sweep.hosts.empty());
  overrides.allocation = two_hosts(AllocationSource::host_file);
  EXPECT_THROW(check_sweep(text, "s.yaml", overrides), BadUsage) << "nobody asked Slurm for its hosts, but for these";
}

TEST(Overrides, the_hosts_of_the_file_come_before_an_allocations_but_not_before_a_host_files) {
  Overrides overrides;
  overrides.ranks = 2;
  overrides.allocation = two_hosts(AllocationSource::pbs);
  const auto of_file = check_sweep(fixed_ranks, "s.yaml", overrides);
  EXPECT_EQ(of_file.sweep.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(of_file.hosts_origin.kind, HostsOrigin::Kind::sweep_file);
  overrides.allocation = two_hosts(AllocationSource::host_file);
  EXPECT_EQ(check_sweep(fixed_ranks, "s.yaml", overrides).sweep.hosts, (std::vector<std::string>{"x", "y"}));
}

TEST(Overrides, a_number_of_ranks_that_varies_stays) {
  const std::string varied =
      "question: How does it scale?\nprogram: all-reduce\narguments: {sizes: 1K}\nvariables: {ranks: [2, 8]}\n";
  Overrides overrides;
  overrides.allocation = two_hosts(AllocationSource::slurm);
  const auto checked = check_sweep(varied, "s.yaml", overrides);
  EXPECT_EQ(checked.plan.size(), 2U);
  EXPECT_EQ(checked.sweep.ranks_per_node, 4) << "8 ranks fit";
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
  overrides.variables = {{"transport", "tcp"}};
  overrides.allocation = two_hosts(AllocationSource::flux);
  EXPECT_EQ(nlohmann::json(overrides).get<Overrides>(), overrides);
}

TEST(Hosts, of_a_file_may_be_in_slurms_notation) {
  auto text = fixed_ranks;
  text.replace(text.find("[a, b]"), 6, "\"n[01-04]\"");
  EXPECT_TRUE(has(words_of(check_sweep(text, "s.yaml")), "n01:1,n02:1,n03:1,n04:1"));
}

}  // namespace
}  // namespace ringmark::sweep
