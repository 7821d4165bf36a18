#include "sweeps/run/move.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

using Names = std::vector<std::string>;

const std::string sweep_yaml = "question: Why?\nprogram: all-reduce\nranks: 2\narguments: {sizes: 1K}\n";

Overrides allocated(const Names& names, int slots, AllocationSource source = AllocationSource::slurm) {
  Overrides overrides;
  overrides.allocation = {source, "SLURM_JOB_NODELIST", {}};
  for (const auto& name : names) overrides.allocation->hosts.push_back({name, slots});
  return overrides;
}

JournalHead head_of(const Overrides& overrides, const Names& hosts = {}) {
  return {.overrides = overrides, .machines = {hosts}};
}

TEST(Move, goes_on_in_an_allocation_of_other_hosts_with_the_same_ranks) {
  const auto begun = allocated({"a", "b"}, 2);
  auto checked = check_sweep(sweep_yaml, "s.yaml", begun);
  EXPECT_EQ(checked.sweep.ranks, 4);
  move_to_hosts_of(allocated({"c", "d", "e"}, 8), head_of(begun), checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"c", "d", "e"}));
  EXPECT_EQ(checked.sweep.ranks, 4);
  EXPECT_EQ(checked.hosts_origin.source, "slurm");
}

TEST(Move, needs_as_many_hosts_and_slots) {
  const auto begun = allocated({"a", "b"}, 2);
  auto checked = check_sweep(sweep_yaml, "s.yaml", begun);
  EXPECT_THROW(move_to_hosts_of(allocated({"c"}, 8), head_of(begun), checked), BadUsage);
  EXPECT_THROW(move_to_hosts_of(allocated({"c", "d"}, 1), head_of(begun), checked), BadUsage);
  EXPECT_THROW(move_to_hosts_of({}, head_of(begun), checked), BadUsage) << "outside of an allocation";
  EXPECT_EQ(checked.sweep.hosts, (Names{"a", "b"}));
}

TEST(Move, leaves_a_sweep_where_it_was_unless_told) {
  auto checked = check_sweep(sweep_yaml + "hosts: [a, b]\n", "s.yaml");
  move_to_hosts_of(allocated({"c", "d"}, 1), head_of({}), checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"a", "b"}));
  Overrides told;
  told.hosts = {"e", "f"};
  move_to_hosts_of(told, head_of({}), checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"e", "f"}));
}

TEST(Move, keeps_the_ranks_together_that_a_launcher_placed_itself) {
  Overrides told;
  told.hosts = {"localhost"};
  auto checked = check_sweep(sweep_yaml + "variables: {iters: [1, 2]}\n", "s.yaml");
  move_to_hosts_of(told, head_of({}, {"vm"}), checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"localhost"}));
  EXPECT_EQ(checked.sweep.ranks, 2);
  EXPECT_EQ(checked.sweep.ranks_per_node, 2);
  // An older journal does not have the host, and a launcher with arguments may have used several.
  for (const std::string launcher : {"mpich", "{kind: mpich, arguments: [-f, hosts]}"}) {
    auto unknown = check_sweep(sweep_yaml + "launcher: " + launcher + "\n", "s.yaml");
    EXPECT_THROW(move_to_hosts_of(told, head_of({}, launcher == "mpich" ? Names{} : Names{"vm"}), unknown), BadUsage);
  }
}

TEST(Move, refuses_hosts_for_a_launcher_that_starts_ranks_on_this_machine) {
  auto checked = check_sweep(sweep_yaml + "launcher: local\n", "s.yaml");
  Overrides told;
  told.hosts = {"a", "b"};
  for (const auto& here : {told, allocated({"a", "b"}, 1, AllocationSource::host_file)}) {
    try {
      move_to_hosts_of(here, head_of({}, {"vm"}), checked);
      ADD_FAILURE();
    } catch (const BadUsage& error) {
      EXPECT_EQ(error.problems().front().flag, here.hosts.empty() ? "--hostfile" : "--hosts");
    }
  }
  EXPECT_TRUE(checked.sweep.hosts.empty());
}

TEST(Move, needs_one_node_for_all_ranks_that_are_started_locally) {
  const auto need = need_of(check_sweep(sweep_yaml + "launcher: local\n", "s.yaml"));
  EXPECT_EQ(need.hosts, 1);
  EXPECT_EQ(need.ranks_per_node, 2);
}

}  // namespace
}  // namespace ringmark::sweep
