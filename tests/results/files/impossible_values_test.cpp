#include "results/files/impossible_values.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/files/result_file.hpp"

namespace ringmark {
namespace {

using testing::StartsWith;

/// An all_reduce of 1 MiB over four ranks.
std::map<std::string, std::string> good_row() {
  return {{"schema", "1"},
          {"time_utc", "2026-11-21T06:11:57Z"},
          {"collective", "all_reduce"},
          {"ranks", "4"},
          {"size_bytes", "1048576"},
          {"count", "262144"},
          {"status", "ok"},
          {"settings", "{}"},
          {"time_us_min", "8.5"},
          {"time_us_ci_low", "8.9"},
          {"time_us_p50", "8.99"},
          {"time_us_ci_high", "9.1"},
          {"time_us_p95", "9.9"},
          {"time_us_p99", "11"},
          {"time_us_max", "14.25"},
          {"time_us_mean", "9.3"},
          {"algbw_GBps", "116.638"},
          {"busbw_GBps_ci_low", "172.842"},
          {"busbw_GBps", "174.957"},
          {"busbw_GBps_ci_high", "176.73"}};
}

/// The column that is impossible after the change; empty if none is.
std::string impossible_after(const std::map<std::string, std::string>& change) {
  auto row = good_row();
  for (const auto& [column, cell] : change) row[column] = cell;
  std::vector<std::string> header;
  std::vector<std::string_view> cells;
  for (const auto& [column, cell] : row) {
    header.push_back(column);
    cells.push_back(cell);
  }
  const auto found = ImpossibleValues(header).find(*parse_schema(row["schema"]), cells);
  return found ? std::string(found->column) : "";
}

TEST(ImpossibleValues, are_times_that_no_clock_measures) {
  EXPECT_EQ(impossible_after({}), "");
  for (const char* time_us : {"-5", "0", "1e300", "-0"})
    EXPECT_EQ(impossible_after({{"time_us_p50", time_us}}), "time_us_p50") << time_us;
  EXPECT_EQ(impossible_after({{"time_us_max", "1e300"}}), "time_us_max");
  EXPECT_EQ(impossible_after({{"time_us_mean", "-1"}}), "time_us_mean");
  EXPECT_EQ(impossible_after({{"time_us_p95", ""}, {"time_us_p99", ""}}), "") << "with few samples";
}

TEST(ImpossibleValues, are_times_in_an_order_that_no_samples_have) {
  EXPECT_EQ(impossible_after({{"time_us_min", "9.5"}}), "time_us_ci_low");
  EXPECT_EQ(impossible_after({{"time_us_ci_high", "8.95"}}), "time_us_ci_high");
  EXPECT_EQ(impossible_after({{"time_us_p99", "9.8"}}), "time_us_p99");
  EXPECT_EQ(impossible_after({{"time_us_mean", "15"}}), "time_us_max");
  EXPECT_EQ(impossible_after({{"busbw_GBps_ci_low", "175"}}), "busbw_GBps");
}

TEST(ImpossibleValues, are_rates_that_do_not_follow_from_size_and_median) {
  EXPECT_EQ(impossible_after({{"time_us_p50", "899"}, {"time_us_ci_high", "900"}, {"time_us_max", "950"}}),
            "algbw_GBps");
  EXPECT_EQ(impossible_after({{"algbw_GBps", "118"}}), "algbw_GBps");
  EXPECT_EQ(impossible_after({{"busbw_GBps", "116.638"}}), "busbw_GBps");
  EXPECT_EQ(impossible_after({{"ranks", "8"}}), "busbw_GBps");
  EXPECT_EQ(impossible_after({{"algbw_GBps", "117"}, {"busbw_GBps", "175"}}), "") << "rounded to three digits";
  EXPECT_EQ(impossible_after({{"algbw_GBps", ""}, {"busbw_GBps", "116"}}), "busbw_GBps");
}

TEST(ImpossibleValues, know_where_a_rate_does_not_follow_from_ranks) {
  const std::pair<std::string, std::string> low{"busbw_GBps_ci_low", ""}, high{"busbw_GBps_ci_high", ""};
  EXPECT_EQ(impossible_after({low, high, {"busbw_GBps", "60.1"}, {"settings", R"({"counts":"1,2,3,4"})"}}), "");
  EXPECT_EQ(impossible_after({low, high, {"busbw_GBps", "60.1"}, {"settings", R"({"root":"1"})"}}), "busbw_GBps");
  EXPECT_EQ(impossible_after({low, high, {"busbw_GBps", "116.638"}, {"schema", "link/1"}, {"collective", "bandwidth"}}),
            "");
  EXPECT_EQ(impossible_after({low, high, {"busbw_GBps", "3"}, {"algbw_GBps", "2"}, {"schema", "replay/1"}}), "");
  EXPECT_EQ(impossible_after({low, high, {"busbw_GBps", "0"}, {"ranks", "1"}}), "");
}

TEST(ImpossibleValues, are_measurements_of_nothing) {
  EXPECT_EQ(impossible_after({{"wrong_elements", "17"}}), "wrong_elements") << "of a row that is ok";
  EXPECT_EQ(impossible_after({{"wrong_elements", "17"}, {"status", "wrong"}}), "");
  EXPECT_EQ(impossible_after({{"wrong_elements", "0"}}), "");
  EXPECT_EQ(impossible_after({{"ranks", "0"}}), "ranks");
  EXPECT_EQ(impossible_after({{"ranks", "0"}, {"status", "failed"}}), "") << "as where a launch did not start";
  EXPECT_EQ(impossible_after({{"size_bytes", "0"}}), "size_bytes");
  const std::map<std::string, std::string> of_nothing{{"size_bytes", "0"}, {"count", "0"},
                                                      {"algbw_GBps", ""},  {"busbw_GBps_ci_low", ""},
                                                      {"busbw_GBps", ""},  {"busbw_GBps_ci_high", ""}};
  EXPECT_EQ(impossible_after(of_nothing), "") << "the block of each rank may be rounded down to none";
  EXPECT_EQ(impossible_after({{"size_bytes", "0"}, {"count", "0"}}), "algbw_GBps");
}

TEST(ImpossibleValues, are_dates_that_do_not_exist) {
  EXPECT_EQ(impossible_after({{"time_utc", "202v-11-29T06:11:57Z"}}), "time_utc");
  EXPECT_EQ(impossible_after({{"time_utc", "2026-02-30T06:11:57Z"}}), "time_utc");
  EXPECT_EQ(impossible_after({{"time_utc", ""}}), "");
}

TEST(ImpossibleValues, are_refused_by_line_column_and_value) {
  Record row;
  row.time_us_p50 = -5;
  try {
    read_records(write_csv(record_header()) + write_csv(to_csv(Record{})) + write_csv(to_csv(row)));
    ADD_FAILURE();
  } catch (const CsvError& error) {
    EXPECT_THAT(error.what(), StartsWith("line 3, column time_us_p50: '-5' "));
  }
}

}  // namespace
}  // namespace ringmark
