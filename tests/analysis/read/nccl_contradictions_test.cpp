#include "analysis/read/nccl_contradictions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/nccl_launches.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

NcclFigures figures_of(std::uint64_t bytes, std::uint64_t count, const std::string& time, const std::string& algbw) {
  NcclFigures figures;
  figures.size_bytes = bytes;
  figures.count = count;
  figures.type = "float";
  figures.time = time;
  figures.algbw = algbw;
  return figures;
}

TEST(NcclContradictions, are_of_time_and_bandwidth_beyond_their_rounding) {
  const auto is_refused = [](const char* time, const char* algbw, std::uint64_t bytes = 2097152) {
    return !contradiction_in(figures_of(bytes, bytes / 4, time, algbw), Collective::all_reduce, 4).empty();
  };
  EXPECT_FALSE(is_refused("333.0", "6.30"));
  EXPECT_TRUE(is_refused("33.0", "6.30"));
  EXPECT_TRUE(is_refused("333.0", "63.0"));
  EXPECT_FALSE(is_refused("11.30", "0.00", 8)) << "too small for its digits";
  EXPECT_FALSE(is_refused("7", "0.14", 1024)) << "times without decimals";
  EXPECT_FALSE(is_refused("1.1e+07", "0.01"));
  EXPECT_FALSE(is_refused("333.0", "N/A"));
  EXPECT_FALSE(is_refused("0.00", "inf"));
}

TEST(NcclContradictions, are_of_size_and_count) {
  const auto is_refused = [](std::uint64_t count, Collective collective) {
    return !contradiction_in(figures_of(2097152, count, "333.0", "6.30"), collective, 4).empty();
  };
  EXPECT_FALSE(is_refused(524288, Collective::all_reduce));
  EXPECT_TRUE(is_refused(24288, Collective::all_reduce));
  EXPECT_TRUE(is_refused(131072, Collective::all_reduce)) << "a quarter, which only blocks have";
  EXPECT_FALSE(is_refused(131072, Collective::all_gather));
  EXPECT_TRUE(is_refused(31072, Collective::all_gather));
  auto of_unknown_type = figures_of(2097152, 1, "333.0", "6.30");
  of_unknown_type.type = "f4e2m1";
  EXPECT_EQ(contradiction_in(of_unknown_type, Collective::all_reduce, 4), "");
}

TEST(NcclContradictions, make_their_rows_fail_alone) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  log.replace(log.find("50.00"), 5, "35.00");
  const auto table = read(log).table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.text("status")[0], "failed");
  EXPECT_THAT(table.text("detail")[0], HasSubstr("contradict"));
  for (const std::size_t row : {1U, 2U, 3U}) EXPECT_EQ(table.text("status")[row], "ok") << row;
}

/// The launch's rows, one of 1 MiB and one of 2 MiB, in another order.
std::string with_rows(const std::string& order) {
  const auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  const auto first = log.find("1048576 "), second = log.find("2097152 "), end = log.find("# Out of bounds");
  auto text = log.substr(0, first);
  for (const char each : order)
    text += each == '1' ? log.substr(first, second - first) : log.substr(second, end - second);
  return text + log.substr(end);
}

TEST(NcclContradictions, are_rows_of_two_runs_in_turns) {
  EXPECT_THAT(why_not(with_rows("1122")), HasSubstr("several launches"));
  EXPECT_THAT(why_not(with_rows("1221")), HasSubstr("several launches"));
  EXPECT_EQ(read(with_rows("1212")).table.rows(), 8U) << "a series that is repeated, as with -N";
  EXPECT_EQ(read(with_rows("121")).table.rows(), 6U);
  EXPECT_EQ(read(with_rows("111")).table.rows(), 6U);
}

TEST(NcclContradictions, are_not_in_sizes_that_are_rounded_down_to_none) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  const std::string none = "0 0 float sum -1 0.06 0.00 0.00 0 0.06 0.00 0.00 N/A\n";
  log.insert(log.find("1048576 262144"), none + none);
  EXPECT_EQ(read(log).table.rows(), 8U);
}

}  // namespace
}  // namespace ringmark::analysis
