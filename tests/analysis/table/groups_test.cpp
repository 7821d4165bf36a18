#include "analysis/table/groups.hpp"

#include <gtest/gtest.h>

#include "analysis/table/column_roles.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

TEST(Groups, hold_no_rows_together_whose_iterations_began_in_different_ways) {
  const auto count_with = [](std::optional<Start> second) {
    Table table;
    for (const auto start : {std::optional(Start::barrier), second}) {
      auto row = measured("a", 100, 1 << 20, 4);
      row.start = start;
      table.add(row, "a", table.rows() + 2);
    }
    return Groups(table, all_rows(table), case_columns(table)).groups().size();
  };
  EXPECT_EQ(count_with(Start::barrier), 1U);
  EXPECT_EQ(count_with(std::nullopt), 1U) << "another tool's row does not say it";
  EXPECT_EQ(count_with(Start::window), 2U);
}

}  // namespace
}  // namespace ringmark::analysis
