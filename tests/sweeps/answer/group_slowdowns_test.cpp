#include "sweeps/answer/group_slowdowns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweeps/answer/answer.hpp"
#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Record row_of(std::uint64_t launch, const std::string& groups, const std::string& group, const std::string& members,
              double time_us) {
  Record row;
  row.run_id = "run";
  row.launch = launch;
  row.network = Network::tcp;
  row.transport = Transport::tcp;
  row.collective = Collective::all_reduce;
  row.datatype = DataType::float32;
  row.ranks = row.nodes = 2;
  row.size_bytes = 1024;
  row.status = Status::ok;
  row.time_us_p50 = time_us;
  const bool is_alone = groups.find(';') == std::string::npos;
  row.settings = settings_from({{"groups", groups}, {"group", group}, {"beside", is_alone ? "alone" : "together"}});
  row.settings.members = members;
  return row;
}

/// Two transports, of which the second is twice as slow, and two groups of which the second was never alone.
Answer answered(double together_us) {
  const auto file = read_sweep(
      "question: Why?\nprogram: all-reduce\nranks: 4\n"
      "variables: {transport: [tcp, mpi], groups: ['0,2', '0,2;1,3']}\n",
      "s.yaml");
  EXPECT_TRUE(file.problems.empty());
  const Plan plan(file.sweep);
  std::vector<Record> rows;
  std::vector<Done> done;
  for (int repetition = 0; repetition < 6; ++repetition) {
    for (std::size_t point = 0; point < plan.size(); ++point) {
      done.push_back({.launch = done.size() + 1, .point = point, .repetition = repetition});
      const auto indices = plan.indices(point);
      const double noise = 1 + 0.001 * repetition, scale = indices[0] == 0 ? noise : 2 * noise;
      const bool is_alone = indices[1] == 0;
      const std::string groups = is_alone ? "0,2" : "0,2;1,3";
      rows.push_back(row_of(done.size(), groups, "list0", "0,2", scale * (is_alone ? 100 : together_us)));
      if (!is_alone) rows.push_back(row_of(done.size(), groups, "list1", "1,3", scale * 90));
      rows.push_back(row_of(done.size(), groups, "list", "", scale * 500));
    }
  }
  return answer(file.sweep, plan, rows, done);
}

TEST(GroupSlowdowns, hold_a_group_beside_others_against_the_same_ranks_alone) {
  const auto found = answered(300);
  ASSERT_THAT(found.slowdowns, SizeIs(2));  // one for each transport
  for (const auto& each : found.slowdowns) {
    EXPECT_THAT(each.together_us, SizeIs(6));
    EXPECT_THAT(each.alone_us, SizeIs(6));
    EXPECT_NEAR(each.difference.ratio, 3, 1e-9);
    EXPECT_EQ(each.difference.verdict, Verdict::slower);
  }
  EXPECT_NE(found.slowdowns[0].setting, found.slowdowns[1].setting);
  const auto text = in_words(found);
  EXPECT_LT(text.find("3.000"), text.find("against the default"));  // slowdowns come first
}

TEST(GroupSlowdowns, are_not_shown_where_nothing_is_slower) {
  for (const auto& each : answered(100).slowdowns) EXPECT_EQ(each.difference.verdict, Verdict::no_difference);
}

TEST(GroupSlowdowns, leave_each_group_its_own_time_in_the_answer) {
  const auto found = answered(300);
  ASSERT_THAT(found.cases, SizeIs(5));  // two groups and two rows of all groups, one of them alone and together
  for (const auto& measured : found.cases) {
    ASSERT_TRUE(measured.default_setting) << measured.name;
    EXPECT_THAT(measured.settings, SizeIs(2));
    EXPECT_EQ(measured.best().name, "transport=tcp");
  }
}

}  // namespace
}  // namespace ringmark::sweep
