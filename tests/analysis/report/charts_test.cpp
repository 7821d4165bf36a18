// Data of the page: charts and rows.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/report/page_rows.hpp"
#include "analysis/report/report.hpp"
#include "analysis/table/column_roles.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

nlohmann::json page_data_of(Table& table) {
  add_configurations(table);
  return nlohmann::json::parse(report_data({table, {}, {}, {}, {}}));
}

TEST(ScalingChart, is_of_the_largest_size_that_most_numbers_of_ranks_have) {
  Table table;
  for (const int ranks : {2, 4, 8}) {
    for (const std::uint64_t size : {1U << 20U, 1U << 21U, 1U << 24U}) {
      if (size == 1U << 24U && ranks == 8) continue;
      for (int launch = 0; launch < 3; ++launch)
        table.add(measured("r" + std::to_string(launch), 100.0 * ranks + launch, size, ranks), "r.csv", 2);
    }
  }
  const auto scaling = page_data_of(table)["scaling"];
  ASSERT_EQ(scaling.size(), 1U);
  ASSERT_EQ(scaling[0]["series"].size(), 1U);
  const auto& series = scaling[0]["series"][0];
  EXPECT_THAT(series["label"].get<std::string>(), HasSubstr("2M"));
  ASSERT_EQ(series["points"].size(), 3U);
  EXPECT_EQ(series["points"][2]["ranks"], 8);
  EXPECT_NEAR(series["points"][2]["busbw"].get<double>(), (1 << 21) / 801.0 / 1e3 * 2 * 7 / 8, 1e-9) << "the median";
}

TEST(PageRows, have_the_columns_in_which_something_is) {
  Table table;
  for (const auto* algorithm : {"", "ring"}) {
    auto row = measured("r", 100);
    row.algorithm_used = algorithm;
    table.add(row, "r.csv", 2);
  }
  const auto columns = shown_columns(table);
  for (const auto* name : {"collective", "algorithm_used", "time_us_p50"}) EXPECT_THAT(columns, Contains(name));
  for (const auto* name : {"hosts", "retransmits", "settings"}) EXPECT_THAT(columns, Not(Contains(name)));
}

/// Three launches of each transport in each of two files.
Table in_two_files(const std::vector<Transport>& transports) {
  Table table;
  for (const auto* file : {"monday.csv", "friday.csv"}) {
    for (int launch = 0; launch < 3; ++launch) {
      for (const auto transport : transports) {
        auto row = measured(file + std::to_string(launch) + name(transport).data(), 100 + launch);
        row.transport = transport;
        table.add(row, file, 2);
      }
    }
  }
  return table;
}

TEST(Findings, tell_of_files_that_were_taken_together_unless_they_are_compared) {
  auto pooled = in_two_files({Transport::tcp, Transport::mpi}), compared = in_two_files({Transport::tcp});
  EXPECT_THAT(page_data_of(pooled)["findings"].dump(), HasSubstr("monday.csv"));
  EXPECT_THAT(page_data_of(compared)["findings"].dump(), Not(HasSubstr("monday.csv")));
}

}  // namespace
}  // namespace ringmark::analysis
