#include "results/schema/benchmark_case.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

std::string group_in_words(const std::map<std::string, std::string>& settings) {
  Record row;
  row.collective = Collective::all_reduce;
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.ranks = row.nodes = 2;
  const auto without = case_of(row);
  row.settings = settings_from(settings);
  const auto with = case_of(row);
  EXPECT_TRUE(with.starts_with(without));
  return with.substr(without.size());
}

TEST(BenchmarkCase, names_the_group_and_its_company) {
  EXPECT_EQ(group_in_words({}), "");
  EXPECT_EQ(group_in_words({{"groups", "0,2"}, {"group", "list0"}, {"members", "0,2"}, {"beside", "alone"}}),
            ", ranks 0,2 alone");
  EXPECT_EQ(group_in_words({{"groups", "0,2;1,3"}, {"group", "list0"}, {"members", "0,2"}, {"beside", "together"}}),
            ", ranks 0,2 of 0,2;1,3");
  EXPECT_EQ(group_in_words({{"groups", "tp:2,dp"}, {"group", "dp"}, {"beside", "together"}}),
            ", all dp groups of tp:2,dp");
  EXPECT_EQ(group_in_words({{"group", "victim"}, {"members", "0,2"}, {"beside", "together"}}), ", victim together");
}

TEST(BenchmarkCase, says_how_its_iterations_began_if_not_by_a_barrier) {
  Record row;
  row.collective = Collective::gather;
  row.datatype = DataType::float32;
  row.ranks = row.nodes = 4;
  EXPECT_EQ(case_of(row), "gather float32, 4 ranks");
  row.start = Start::barrier;
  EXPECT_EQ(case_of(row), "gather float32, 4 ranks");
  row.start = Start::window;
  EXPECT_EQ(case_of(row), "gather float32, agreed start, 4 ranks");
}

TEST(BenchmarkCase, says_the_flags_that_a_name_need_not_repeat) {
  Record row;
  row.collective = Collective::all_reduce;
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.ranks = row.nodes = 4;
  std::map<std::string, Record> changed{{"program", row},  {"datatype", row}, {"op", row},    {"ranks", row},
                                        {"in-place", row}, {"timing", row},   {"start", row}, {"groups", row}};
  changed["program"].collective = Collective::all_gather;
  changed["datatype"].datatype = DataType::float16;
  changed["op"].op = ReduceOp::max;
  changed["ranks"].ranks = 2;
  changed["in-place"].in_place = 1;
  changed["timing"].timing = Timing::batch;
  changed["start"].start = Start::window;
  changed["groups"].settings = settings_from({{"groups", "0,2"}, {"members", "0,2"}});
  for (const auto& [flag, other] : changed) {
    EXPECT_TRUE(is_in_case(flag)) << flag;
    EXPECT_NE(case_of(other), case_of(row)) << flag;
  }
  EXPECT_FALSE(is_in_case("model"));
  EXPECT_FALSE(is_in_case("tcp.sockets"));
}

}  // namespace
}  // namespace ringmark
