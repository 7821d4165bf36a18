#include "analysis/compare/question.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

/// Two files with the same algorithms, the later name of the alphabet first.
Table two_files() {
  Table table;
  for (const std::string file : {"new.csv", "before.csv"}) {
    for (const std::string algorithm : {"ring", "auto"}) {
      auto row = measured(file + algorithm, 100);
      row.algorithm = algorithm;
      table.add(row, file, 1);
    }
  }
  return table;
}

std::string baseline(const std::string& by, const std::optional<std::string>& asked = std::nullopt) {
  const auto table = two_files();
  return question_about(table, all_rows(table), by, asked).baseline;
}

TEST(Question, compares_files_with_the_first_one_and_settings_with_the_first_in_order) {
  EXPECT_EQ(baseline("file"), "new.csv");
  EXPECT_EQ(baseline("algorithm"), "auto");
}

TEST(Question, takes_the_baseline_that_is_asked_for_if_it_is_a_value) {
  EXPECT_EQ(baseline("file", "before.csv"), "before.csv");
  EXPECT_EQ(baseline("algorithm", "ring"), "ring");
  EXPECT_THROW(baseline("algorithm", "tree"), BadUsage);
}

}  // namespace
}  // namespace ringmark::analysis
