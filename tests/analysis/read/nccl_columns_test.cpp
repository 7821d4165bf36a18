#include "analysis/read/nccl_columns.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/nccl_launches.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;

constexpr auto old_header =
    "# nThread 1 nGpus 4 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n"
    "#   Rank  0 Pid  1 on a device  0 [0x1] T\n#   Rank  1 Pid  1 on a device  1 [0x2] T\n"
    "#   Rank  2 Pid  1 on a device  2 [0x3] T\n#   Rank  3 Pid  1 on a device  3 [0x4] T\n";

TEST(NcclTests, tables_from_before_August_2022) {
  const auto log = old_header + std::string(R"(
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
     1048576        262144   float     sum    50.00   20.97   31.46  4e-07    49.00   21.40   32.10  5e-07
# Out of bounds values : )");
  const auto good = read(log + "0 OK\n").table;
  ASSERT_EQ(good.rows(), 2U);
  EXPECT_EQ(good.text("collective")[0], "all_reduce");
  EXPECT_EQ(good.cell(0, "ranks"), "4");
  EXPECT_EQ(good.figure(1, "time_us_p50"), 49);
  EXPECT_EQ(good.figure(0, "wrong_elements"), 0);  // the column is a deviation
  const auto wrong = read(log + "3 FAILED\n").table;
  EXPECT_EQ(wrong.text("status")[0], "wrong");
  EXPECT_FALSE(wrong.figure(0, "wrong_elements"));
}

TEST(NcclTests, tables_from_2019_have_other_names_and_milliseconds) {
  const auto table = read(R"(# NCCL Tests compiled with NCCL 2.4
# Using devices
#   Rank  0 on       node-a device  0 [0x05] GeForce RTX 2080 Ti
#   Rank  1 on       node-a device  1 [0x06] GeForce RTX 2080 Ti
#   Rank  2 on       node-a device  2 [0x07] GeForce RTX 2080 Ti
#   Rank  3 on       node-a device  3 [0x08] GeForce RTX 2080 Ti

#                                                 out-of-place                    in-place
#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res
#    10000000      10000000    char     sum    0.286  34.98  52.47    0e+00    0.303  32.98  49.46    0e+00
)")
                         .table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("collective")[0], "all_reduce");
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.text("datatype")[0], "int8");
  EXPECT_EQ(table.figure(0, "size_bytes"), 1e7);
  EXPECT_NEAR(*table.figure(0, "time_us_p50"), 286, 1e-9);
  EXPECT_NEAR(*table.figure(1, "busbw_GBps"), 49.5, 0.05);
}

TEST(NcclTests, the_end_of_a_table_without_its_header_does_not_end_the_next) {
  const auto results =
      read("  8 2 float none 0 43.00 6.10 6.10 0 42.86 6.12 6.12 0\n# Out of bounds values : 3 FAILED\n" +
           launch_of("reduce_scatter_perf", 4, 4, 0.75));
  ASSERT_EQ(results.table.rows(), 4U);
  EXPECT_EQ(results.table.cell(0, "ranks"), "4");
  EXPECT_EQ(results.table.text("status")[0], "ok");
  EXPECT_THAT(results.notes, Contains(HasSubstr("f:1: 1 row of nccl-tests without the header")));
}

TEST(NcclTests, the_memory_of_AMDs_is_no_CUDAs) {
  const auto memories = [](const std::string& text) {
    const auto table = read(text).table;
    return std::pair(table.text("memory")[0], table.text("memory")[table.rows() - 1]);
  };
  const auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  auto amd = log;
  amd.insert(amd.find("# Using devices"), "#\nrccl-tests: Version develop:5272cd1\n");
  EXPECT_EQ(memories(amd + log), std::pair(std::string("rocm"), std::string("cuda")));
  EXPECT_EQ(memories(log + amd), std::pair(std::string("cuda"), std::string("rocm")));
  EXPECT_EQ(memories("# rccl-tests version 2.17.9 rccl-headers=22803 rccl-library=22803\n" + log).first, "rocm");
  auto devices = log;
  devices.replace(devices.find("NVIDIA H100"), 11, "AMD Instinct MI300X");
  EXPECT_EQ(memories(devices).first, "rocm");
}

TEST(NcclTests, a_column_may_be_blank_where_nothing_is_reduced) {
  const auto log = old_header + std::string(R"(
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
     1048576         65536   float            50.00   20.97   15.73    N/A    49.00   21.40   16.05    N/A
)");
  const auto table = read(log, {}, "alltoall.log").table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("collective")[0], "all_to_all");
  EXPECT_EQ(table.figure(1, "time_us_p50"), 49);
}

TEST(NcclTests, columns_of_single_iterations_are_no_placement) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  log.erase(log.find("#  size"));
  log +=
      "#  out-of-place (+ per-iteration)   in-place (+ per-iteration)\n"
      "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw busbw #wrong i_min "
      "i_max i_p99 i_cv%\n"
      "1048576 262144 float sum -1 50.00 20.97 31.46 0 48.00 60.00 59.00 4.20 40.00 26.21 39.32 2 39.00 41.00 "
      "41.00 1.10\n";
  const auto table = read(log).table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.figure(1, "time_us_p50"), 40);
  EXPECT_EQ(table.figure(0, "wrong_elements"), 0);
  EXPECT_EQ(table.figure(1, "wrong_elements"), 2);
  EXPECT_EQ(table.text("status")[1], "wrong");
}

TEST(NcclTests, rows_have_names_of_types_behind_whole_numbers) {
  EXPECT_TRUE(is_row_of_some_version("1024 256 float sum -1 9.1 0.11 0.17 0 9.0 0.11 0.17 0"));
  for (const char* line :
       {"1024 256 7 8 -1 9.1 0.11 0.17 0 9.0 0.11 0.17 0", "1024 256 _float sum -1 9.1 0.11 0.17 0 9.0 0.11 0.17 0",
        "1024 256.5 float sum -1 9.1 0.11 0.17 0 9.0 0.11 0.17 0"})
    EXPECT_FALSE(is_row_of_some_version(line)) << line;
}

TEST(NcclTests, one_placement_may_be_left_out) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  log.erase(log.find("#  size"));
  log +=
      "#                                                       out-of-place                       in-place\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "     1048576        262144     float     sum      -1                                    50.00   20.97   31.46   "
      "   0\n";
  const auto table = read(log).table;
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.cell(0, "in_place"), "1");
  EXPECT_EQ(table.figure(0, "time_us_p50"), 50);
}

TEST(NcclTests, units_in_a_header_are_not_columns) {
  const auto table =
      read(
          "| size (B) | count | type | redop | root | time (us) | algbw (GB/s) | busbw (GB/s) | #wrong |\n"
          "|---|---|---|---|---|---|---|---|---|\n"
          "| 1048576 | 262144 | float | sum | -1 | 50.00 | 20.97 | 31.46 | 0 |\n",
          {.ranks = 4})
          .table;
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.figure(0, "time_us_p50"), 50);
  EXPECT_EQ(table.figure(0, "wrong_elements"), 0);
}

/// The lines as a terminal of that width shows them.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  for (const char each : text) {
    if (each != '\n' && column == width) lines += '\n', column = 0;
    lines += each;
    column = each == '\n' ? 0 : column + 1;
  }
  return lines;
}

TEST(NcclTests, lines_that_a_terminal_wrapped_are_refused) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  log.erase(log.find("#  size"));
  log +=
      "#                                                              out-of-place                       in-place\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "     1048576        262144     float     sum      -1    50.00   20.97   31.46      0    49.00   21.40   32.10   "
      "   "
      "0\n";
  EXPECT_EQ(read(log).table.rows(), 2U);
  for (const std::size_t width : {80U, 83U, 90U, 100U, 110U, 112U}) {
    EXPECT_THAT(why_not(wrapped(log, width)), HasSubstr("wrapped")) << width;
  }
}

TEST(NcclTests, times_of_the_processor_are_refused) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  for (auto at = log.find("  time"); at != std::string::npos; at = log.find("  time", at + 9))
    log.replace(at, 6, "  cputime");
  EXPECT_THAT(why_not(log), HasSubstr("-C"));
}

TEST(NcclTests, a_time_without_room_for_its_digits_follows_from_the_bandwidth) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  log.replace(log.find("50.00"), 5, "5e+01");
  EXPECT_NEAR(*read(log).table.figure(0, "time_us_p50"), 50, 0.02);
  EXPECT_NE(*read(log).table.figure(0, "time_us_p50"), 50);
}

}  // namespace
}  // namespace ringmark::analysis
