#include "analysis/compare/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

class GateTest : public testing::Test {
 protected:
  void add(const std::string& file, const std::vector<double>& times_us, std::uint64_t size = 1 << 20,
           const std::string& algorithm = "ring") {
    for (const double time_us : times_us) {
      auto row = measured(file + std::to_string(launch_++), time_us, size);
      row.algorithm_used = algorithm;
      table_.add(row, file, table_.rows() + 2);
    }
  }
  GateFinding at(double percent) const { return judge(compare(table_, all_rows(table_), {.by = "file"}), percent); }

  Table table_;
  int launch_ = 0;
};

TEST_F(GateTest, passes_what_is_shown_to_stay_within_the_limit) {
  add("a", {100, 101, 100.5, 99.5, 100});
  add("b", {100.2, 100.9, 100.4, 99.8, 100.1});
  EXPECT_EQ(at(5).outcome(), GateOutcome::passed);
  EXPECT_EQ(at(5).within, 1U);
}

TEST_F(GateTest, fails_what_is_shown_slower) {
  add("a", {100, 101, 100.5, 99.5, 100});
  add("b", {110, 111, 110.5, 109.5, 110});
  EXPECT_EQ(at(5).outcome(), GateOutcome::failed);
  EXPECT_EQ(at(20).outcome(), GateOutcome::passed);
}

TEST_F(GateTest, fails_a_loss_as_large_as_the_limit) {
  add("a", {100, 100.4, 100.2, 99.6, 99.8});
  add("b", {105, 105.4, 105.2, 104.6, 104.8});
  EXPECT_EQ(at(5).outcome(), GateOutcome::failed);
}

TEST_F(GateTest, a_smaller_loss_passes_once_it_is_shown_to_be_smaller) {
  add("a", {100, 100.4, 100.2, 99.6, 99.8});
  add("b", {102, 102.4, 102.2, 101.6, 101.8});
  EXPECT_EQ(at(5).outcome(), GateOutcome::passed);
}

TEST_F(GateTest, sets_aside_a_size_that_scatters_too_much_where_another_is_decided) {
  for (const std::string file : {"a", "b"}) {
    add(file, {100, 101, 100.5, 99.5, 100});
    add(file, {10, 12, 9, 13, 10}, 64 << 10);
  }
  const auto gate = at(5);
  EXPECT_EQ(gate.outcome(), GateOutcome::passed);
  EXPECT_EQ(gate.within, 1U);
  ASSERT_EQ(gate.set_aside.size(), 1U);
  EXPECT_THAT(gate.set_aside[0], HasSubstr("64K"));
  EXPECT_THAT(gate.set_aside[0], HasSubstr("5 against 5 launches"));
  EXPECT_THAT(gate.set_aside[0], Not(HasSubstr("too few")));
}

TEST_F(GateTest, is_undecided_where_every_size_scatters_too_much) {
  for (const std::string file : {"a", "b"}) add(file, {10, 12, 9, 13, 10});
  EXPECT_EQ(at(5).outcome(), GateOutcome::undecided);
  EXPECT_EQ(at(100).outcome(), GateOutcome::passed);
}

TEST_F(GateTest, is_undecided_where_the_interval_straddles_the_limit) {
  add("a", {100, 101, 99});
  add("b", {104, 106, 102});
  EXPECT_EQ(at(5).outcome(), GateOutcome::undecided);
}

TEST_F(GateTest, a_slow_size_fails_although_others_are_as_fast) {
  for (const std::string file : {"a", "b"}) add(file, {100, 101, 100.5, 99.5, 100});
  add("a", {50, 50.5, 50.2, 49.8, 50.1}, 64 << 10);
  add("b", {60, 60.5, 60.2, 59.8, 60.1}, 64 << 10);
  ASSERT_EQ(at(5).slower.size(), 1U);
  EXPECT_THAT(at(5).slower[0], HasSubstr("64K"));
}

TEST_F(GateTest, names_the_algorithms_between_which_launches_chose) {
  add("a", {100, 101, 100.5, 70, 71});
  add("b", {100, 101, 100.5});
  add("b", {70, 71}, 1 << 20, "halving_doubling");
  ASSERT_EQ(at(5).undecided.size(), 1U);
  EXPECT_THAT(at(5).undecided[0], HasSubstr("halving_doubling and ring"));
}

TEST_F(GateTest, another_algorithm_in_some_launches_is_not_shown_slower) {
  add("a", {70, 71, 70.5, 70, 71}, 1 << 20, "halving_doubling");
  add("b", {100, 101, 100.5, 100}, 1 << 20, "ring");
  EXPECT_EQ(at(5).outcome(), GateOutcome::failed);
  add("b", {71}, 1 << 20, "halving_doubling");
  EXPECT_EQ(at(5).outcome(), GateOutcome::undecided);
}

TEST_F(GateTest, sets_aside_rows_that_doubt_themselves_on_both_sides) {
  const auto add_doubted = [&](const std::string& file, const std::vector<double>& times_us) {
    for (const double time_us : times_us) {
      auto row = measured(file + std::to_string(launch_++), time_us, 4096);
      row.caveats.emplace_back(PollingOnSharedCores{.ranks = 4, .cores = 2});
      table_.add(row, file, table_.rows() + 2);
    }
  };
  add_doubted("a", {100, 101, 100.5, 99.5, 100});
  add_doubted("b", {150, 151, 150.5, 149.5, 150});
  EXPECT_EQ(at(5).outcome(), GateOutcome::undecided) << "nothing else is there to decide by";
  for (const std::string file : {"a", "b"}) add(file, {100, 101, 100.5, 99.5, 100});
  EXPECT_EQ(at(5).outcome(), GateOutcome::passed);
  ASSERT_EQ(at(5).set_aside.size(), 1U);
  EXPECT_THAT(at(5).set_aside[0], HasSubstr("4 ranks share 2 cores"));
}

TEST_F(GateTest, single_launches_are_too_few) {
  add("a", {100});
  add("b", {100});
  ASSERT_EQ(at(5).undecided.size(), 1U);
  EXPECT_THAT(at(5).undecided[0], HasSubstr("1 against 1 launches are too few"));
}

TEST_F(GateTest, a_size_of_one_side_is_undecided) {
  add("a", {100, 101, 100.5, 99.5, 100});
  add("b", {100, 101, 100.5, 99.5, 100});
  add("b", {10, 10, 10}, 4096);
  EXPECT_EQ(at(5).outcome(), GateOutcome::undecided);
}

TEST_F(GateTest, prints_each_comparison_that_does_not_pass) {
  add("a", {100});
  add("b", {100});
  EXPECT_THAT(print(at(5), 5), HasSubstr("undecided: all_reduce float32 sum, 4 ranks 1M, b: "));
}

}  // namespace
}  // namespace ringmark::analysis
