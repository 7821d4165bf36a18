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

TEST(Move, goes_on_in_an_allocation_of_other_hosts_with_the_same_ranks) {
  const auto begun = allocated({"a", "b"}, 2);
  auto checked = check_sweep(sweep_yaml, "s.yaml", begun);
  EXPECT_EQ(checked.sweep.ranks, 4);
  move_to_hosts_of(allocated({"c", "d", "e"}, 8), begun, checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"c", "d", "e"}));
  EXPECT_EQ(checked.sweep.ranks, 4);
  EXPECT_EQ(checked.hosts_origin.source, "slurm");
}

TEST(Move, needs_as_many_hosts_and_slots) {
  const auto begun = allocated({"a", "b"}, 2);
  auto checked = check_sweep(sweep_yaml, "s.yaml", begun);
  EXPECT_THROW(move_to_hosts_of(allocated({"c"}, 8), begun, checked), BadUsage);
  EXPECT_THROW(move_to_hosts_of(allocated({"c", "d"}, 1), begun, checked), BadUsage);
  EXPECT_THROW(move_to_hosts_of({}, begun, checked), BadUsage) << "outside of an allocation";
  EXPECT_EQ(checked.sweep.hosts, (Names{"a", "b"}));
}

TEST(Move, leaves_a_sweep_where_it_was_unless_told) {
  auto checked = check_sweep(sweep_yaml + "hosts: [a, b]\n", "s.yaml");
  move_to_hosts_of(allocated({"c", "d"}, 1), {}, checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"a", "b"}));
  Overrides told;
  told.hosts = {"e", "f"};
  move_to_hosts_of(told, {}, checked);
  EXPECT_EQ(checked.sweep.hosts, (Names{"e", "f"}));
}

}  // namespace
}  // namespace ringmark::sweep
