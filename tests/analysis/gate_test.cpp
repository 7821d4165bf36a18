#include "analysis/gate.hpp"

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

TEST_F(GateTest, passes_what_would_have_shown_such_a_difference) {
  add("a", {100, 101, 100.5, 99.5, 100});
  add("b", {100.2, 100.9, 100.4, 99.8, 100.1});
  EXPECT_EQ(at(5).outcome(), GateOutcome::passed);
}

TEST_F(GateTest, fails_what_is_shown_slower) {
  add("a", {100, 101, 100.5, 99.5, 100});
  add("b", {110, 111, 110.5, 109.5, 110});
  EXPECT_EQ(at(5).outcome(), GateOutcome::failed);
  EXPECT_EQ(at(20).outcome(), GateOutcome::passed);
}

TEST_F(GateTest, names_the_size_that_scatters_too_much_and_says_how_many_launches_would_do) {
  for (const std::string file : {"a", "b"}) {
    add(file, {100, 101, 100.5, 99.5, 100});
    add(file, {10, 12, 9, 13, 10}, 64 << 10);
  }
  const auto gate = at(5);
  EXPECT_EQ(gate.outcome(), GateOutcome::undecided);
  ASSERT_EQ(gate.undecided.size(), 1U);
  EXPECT_THAT(gate.undecided[0], HasSubstr("64K"));
  EXPECT_THAT(gate.undecided[0], HasSubstr("5 against 5 launches"));
  EXPECT_THAT(gate.undecided[0], Not(HasSubstr("too few")));
}

TEST_F(GateTest, names_the_algorithms_between_which_launches_chose) {
  for (const std::string file : {"a", "b"}) {
    add(file, {100, 101, 100.5});
    add(file, {70, 71}, 1 << 20, "halving_doubling");
  }
  ASSERT_EQ(at(5).undecided.size(), 1U);
  EXPECT_THAT(at(5).undecided[0], HasSubstr("halving_doubling and ring: give --algorithm"));
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

TEST_F(GateTest, prints_each_undecided_comparison) {
  add("a", {100});
  add("b", {100});
  EXPECT_THAT(print(at(5), 5), HasSubstr("undecided: all_reduce float32 sum, 4 ranks 1M, b: "));
}

}  // namespace
}  // namespace ringmark::analysis
