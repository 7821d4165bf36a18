// Logs in the format of ext-profiler/inspector/inspector.cc in NCCL 2.28.9. Values are our own.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/analysis/reading.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;

std::string call(const std::string& collective, int sequence, int message_bytes, double time_us,
                 const std::string& version = "v4.0") {
  return fmt::format(
      R"({{"header": {{"id": "0x7f8c", "rank": 2, "n_ranks": 4, "nnodes": 2}},
    "metadata": {{"inspector_output_format_version": "{}", "git_rev": "", "rec_mechanism": "profiler_plugin",
    "dump_timestamp_us": {}, "hostname": "node1", "pid": 7}},
    "coll_perf": {{"coll": "{}", "coll_sn": {}, "coll_msg_size_bytes": {}, "coll_exec_time_us": {},
    "coll_algobw_gbs": 1.0, "coll_busbw_gbs": 1.0}}}})"
      "\n",
      version, 1748030377748202 + sequence * 1000, collective, sequence, message_bytes, time_us);
}

TEST(Inspector, all_calls_of_a_collective_of_one_size_are_a_row) {
  std::string log;
  for (int i = 0; i < 9; ++i) log += call("AllReduce", i, 1048576, 100 + i) + call("ReduceScatter", i, 262144, 50);
  log += call("AllReduce", 9, 4096, 20);
  const auto table = read(log).table;
  ASSERT_EQ(table.rows(), 3U);
  std::map<std::string, std::size_t> row_of;
  for (std::size_t row = 0; row < 3; ++row) row_of[table.cell(row, "collective") + table.cell(row, "size_bytes")] = row;
  ASSERT_TRUE(row_of.contains("all_reduce1048576") && row_of.contains("all_reduce4096"));
  ASSERT_TRUE(row_of.contains("reduce_scatter1048576")) << "NCCL counts what a rank receives, S is all of it";
  const auto row = row_of["all_reduce1048576"];
  EXPECT_EQ(table.cell(row, "transport"), "nccl");
  EXPECT_EQ(table.cell(row, "timing"), "each");
  EXPECT_EQ(table.cell(row, "ranks"), "4");
  EXPECT_EQ(table.cell(row, "nodes"), "2");
  EXPECT_EQ(table.cell(row, "samples"), "9");
  EXPECT_EQ(table.cell(row, "run_id"), "inspector-0x7f8c") << "the logs of all ranks are one launch";
  EXPECT_EQ(table.cell(row, "label.source"), "nccl-inspector") << "calls of a program do not compare with benchmarks";
  EXPECT_EQ(table.cell(row, "time_utc"), "2025-05-23T19:59:37Z");
  EXPECT_EQ(table.figure(row, "time_us_p50"), 104);
  EXPECT_NEAR(*table.figure(row, "busbw_GBps"), 1.5 * 1048.576 / 104, 1e-6);
}

TEST(Inspector, other_calls_and_versions_are_named) {
  const auto results = read(call("AllReduce", 1, 1024, 10) + call("Barrier", 2, 0, 10));
  EXPECT_EQ(results.table.rows(), 1U);
  EXPECT_THAT(results.notes, Contains(HasSubstr("Barrier")));
  EXPECT_THROW(read(call("AllReduce", 1, 1024, 10, "v9.0")), BadUsage);
  const auto cut = call("AllReduce", 1, 1024, 10) + call("AllReduce", 2, 1024, 10).substr(0, 200);
  EXPECT_THAT(read(cut).notes, Contains(HasSubstr("cut off")));
}

TEST(Inspector, calls_whose_figures_cannot_be_are_left_out_by_line) {
  const auto good = call("AllReduce", 1, 1024, 10);
  const auto lines = std::count(good.begin(), good.end(), '\n');
  for (const auto& bad :
       {call("AllReduce", 2, 1024, 1e300), call("AllReduce", 2, 1024, -1), call("AllReduce", 2, 0, 10)}) {
    const auto results = read(good + bad);
    ASSERT_EQ(results.table.rows(), 1U);
    EXPECT_EQ(results.table.cell(0, "samples"), "1");
    EXPECT_THAT(results.notes, Contains(HasSubstr(fmt::format("f:{}: a call with an impossible", lines + 1))));
    EXPECT_THAT(why_not(bad), HasSubstr("f:1: "));
  }
  EXPECT_THAT(read(good + "garbage\n").notes,
              Contains(HasSubstr(fmt::format("f:{}: text between the records", lines + 1))));
  EXPECT_TRUE(read(good + good).notes.empty());
}

}  // namespace
}  // namespace ringmark::analysis
