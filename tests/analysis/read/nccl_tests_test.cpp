#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/read/nccl_columns.hpp"
#include "tests/analysis/nccl_launches.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;

constexpr auto nccl_text =
    R"(# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid 1234 on     node-a device  0 [0x07] NVIDIA H100
#  Rank  1 Group  0 Pid 1235 on     node-a device  1 [0x0f] NVIDIA H100
#  Rank  2 Group  0 Pid 1236 on     node-b device  0 [0x07] NVIDIA H100
#  Rank  3 Group  0 Pid 1237 on     node-b device  1 [0x0f] NVIDIA H100
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
node-a:1234:1234 [0] NCCL INFO Bootstrap : Using eth0
     1048576        262144     float     sum      -1    50.00   20.97   31.46      0    49.00   21.40   32.10      0
     2097152        524288     float     sum      -1    80.00   26.21   39.32      0    79.00   26.55   39.82    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 35.67
)";

TEST(Foreign, nccl_tests_text) {
  const auto table = read(nccl_text).table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.text("collective")[0], "all_reduce");  // by its factor of busbw
  EXPECT_EQ(table.text("transport")[0], "nccl");
  EXPECT_EQ(table.text("datatype")[0], "float32");
  EXPECT_EQ(table.text("timing")[0], "batch");
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.cell(0, "nodes"), "2");
  EXPECT_EQ(table.cell(0, "hosts"), "node-a*2,node-b*2");
  EXPECT_EQ(table.cell(1, "in_place"), "1");
  EXPECT_EQ(table.figure(2, "time_us_p50"), 80);
  EXPECT_NEAR(*table.figure(2, "busbw_GBps"), 39.32, 0.01);
  EXPECT_FALSE(table.figure(3, "wrong_elements"));
  EXPECT_EQ(table.where(0), "f:13");
}

TEST(Foreign, nccl_tests_text_that_is_separated_by_tabs) {
  const std::string text = nccl_text;
  const auto header = text.find("#       size");
  const auto table =
      read(text.substr(0, header) + std::regex_replace(text.substr(header), std::regex(" {2,}"), "\t")).table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.figure(2, "time_us_p50"), 80);
}

TEST(Foreign, nccl_tests_text_whose_marks_a_web_page_swallowed) {
  std::string text = nccl_text;
  std::erase(text, '#');
  const auto table = read(text.c_str()).table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.figure(2, "time_us_p50"), 80);
}

TEST(Foreign, a_row_of_nccl_tests_that_was_cut_off_is_told) {
  auto text = std::string(nccl_text);
  text.insert(text.find("# Out of bounds"), "     4194304       1048576     float     sum\n");
  const auto results = read(text.c_str());
  EXPECT_EQ(results.table.rows(), 4U);
  EXPECT_THAT(results.notes, testing::Contains(AllOf(HasSubstr("f:15: "), HasSubstr("4 words"), HasSubstr("13"))));
}

/// The text with other characters in each row, behind the root and behind the first number of wrong elements.
std::string torn(const std::string& text, const std::string& by) {
  return std::regex_replace(text, std::regex("( -1)( +[0-9.]+ +[0-9.]+ +[0-9.]+ +0)( +[0-9.]+ )"),
                            "$1" + by + "$2" + by + "$3");
}

TEST(Foreign, rows_of_nccl_tests_may_be_torn) {
  for (const std::string by : {"n:1:2 [0] NCCL INFO AllReduce: 8 Bytes -> Algo 1 proto 0\nn:1:2 [0] NCCL INFO again\n",
                               "\n", "\n\nn:1:2 [0] net.cc:12 NCCL WARN late\n", "\nn:1:3 [1] NCCL INFO a\n\n"}) {
    const auto text = torn(nccl_text, by);
    ASSERT_NE(text, nccl_text);
    const auto results = read(text);
    ASSERT_EQ(results.table.rows(), 4U) << by;
    EXPECT_EQ(results.table.figure(2, "time_us_p50"), 80);
    EXPECT_EQ(results.table.figure(3, "time_us_p50"), 79);
    EXPECT_EQ(results.table.where(0), "f:13");
  }
}

TEST(Foreign, rows_of_nccl_tests_may_be_in_a_spreadsheets_or_markdowns_cells) {
  const std::string text = nccl_text;
  const auto table = text.substr(text.find("#       size"));
  for (const std::string between : {",", ";", " | ", "\t"}) {
    auto cells = std::regex_replace(table, std::regex(" {2,}"), between);
    if (between == " | ") cells = std::regex_replace(cells, std::regex("(\n|^)(.+)"), "$1|$2|");
    const auto results = read(cells, {.ranks = 4}, "all_reduce");
    EXPECT_EQ(results.table.rows(), 4U) << between;
  }
}

TEST(Foreign, rows_in_another_spelling_are_shown) {
  const auto text = std::regex_replace(std::string(nccl_text), std::regex("1048576  "), "1,048,576");
  const auto other = std::regex_replace(text, std::regex("2097152  "), "2,097,152");
  EXPECT_THAT(why_not(other), AllOf(HasSubstr("1,048,576"), Not(HasSubstr("failed"))));
}

TEST(Foreign, a_part_of_a_row_is_not_completed_by_other_lines) {
  EXPECT_THAT(why_not(torn(nccl_text, "\nan error\n")), HasSubstr("no row that can be read"));
}

TEST(Foreign, corrupted_results_do_not_pass_for_good_ones) {
  std::string text = nccl_text;
  text.replace(text.find("32.10      0"), 12, "32.10  1e+06");
  const auto table = read(text).table;
  EXPECT_EQ(table.text("status")[1], "wrong");
  EXPECT_EQ(table.figure(1, "wrong_elements"), 1e6);
}

TEST(Foreign, a_factor_that_several_have_tells_no_collective) {
  // Without the line that names it, a factor that several have tells nothing.
  std::string text = nccl_text;
  for (auto at = text.find("sum      -1"); at != std::string::npos; at = text.find("sum      -1"))
    text.replace(at, 11, "none     -1");
  EXPECT_THAT(why_not(text), HasSubstr("does not say which collective"));
  text = "# Collective test starting: hypercube_perf\n" + std::string(nccl_text);
  EXPECT_THAT(why_not(text), HasSubstr("f:1: 'hypercube_perf' "));
}

TEST(Foreign, a_factor_above_that_of_a_reduce_tells_an_all_reduce_without_a_root) {
  const auto row = [](double algbw, double busbw) {
    return read(
        fmt::format("#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
                    "1048576 262144 float sum 135.3 {0:.2f} {1:.2f} 7e-07 132.7 {0:.2f} {1:.2f} 7e-07\n",
                    algbw, busbw));
  };
  const auto table = row(44.04, 85.32).table;  // 2 * 31 / 32
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("collective")[0], "all_reduce");
  EXPECT_EQ(table.cell(0, "ranks"), "32");
  EXPECT_THROW(row(44.04, 44.04), BadUsage) << "a reduce, or an all_reduce of two ranks";
}

TEST(Foreign, rows_of_nccl_tests_without_a_header_are_told) {
  const std::string rows =
      "$ ./all_reduce_perf -b 8\n  8 2 float sum -1 4365.15 0.00 0.00 0 4141.79 0.00 0.00 0\n"
      "  16 4 float sum -1 4366.92 0.00 0.00 0 4366.84 0.00 0.00 0\n"
      "  32 8 float sum 4366.92 0.00 0.00 1e-07 4366.84 0.00 0.00 1e-07\n";
  const auto results = read(nccl_text + rows);
  EXPECT_EQ(results.table.rows(), 4U);
  EXPECT_THAT(results.notes, Contains(AllOf(HasSubstr("f:18: 3 rows of nccl-tests without the header"))));
}

TEST(NcclTests, a_mangled_header_begins_no_table) {
  EXPECT_TRUE(nccl_columns("#  size count type redop root time algbw busbw #wrong", ""));
  for (const char* header :
       {"#  size count type time algbw busbw #wrong redop", "#  size count type time algbw busbw #wrong root",
        "#  size count time type algbw busbw", "#  size count redop type time algbw busbw", "#  count size type busbw"})
    EXPECT_FALSE(nccl_columns(header, "")) << header;
}

TEST(NcclTests, each_table_is_a_launch_with_its_own_ranks_and_collective) {
  const auto table = read(launch_of("all_reduce_perf", 4, 4, 1.5) + launch_of("all_gather_perf", 8, 8, 0.875) +
                          launch_of("all_reduce_perf", 4, 4, 1.5))
                         .table;
  ASSERT_EQ(table.rows(), 12U);
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.text("collective")[0], "all_reduce");
  EXPECT_EQ(table.cell(4, "ranks"), "8");
  EXPECT_EQ(table.cell(4, "nodes"), "2");
  EXPECT_EQ(table.text("collective")[4], "all_gather");
  EXPECT_EQ(table.text("collective")[8], "all_reduce");
  EXPECT_NE(table.text("run_id")[0], table.text("run_id")[8]);
}

TEST(NcclTests, a_collective_that_is_not_known_is_refused_by_name_and_the_others_are_read) {
  const auto results = read(launch_of("hypercube_perf", 4, 4, 0.75) + launch_of("all_reduce_perf", 4, 4, 1.5));
  EXPECT_EQ(results.table.rows(), 4U);
  EXPECT_THAT(results.notes, Contains(AllOf(HasSubstr("f:1: "), HasSubstr("'hypercube_perf'"))));
  EXPECT_THAT(why_not(launch_of("alltoallv_perf", 4, 4, 0.75)), HasSubstr("'alltoallv_perf'"));
}

TEST(NcclTests, the_further_operations_are_read) {
  const auto table = read(launch_of("sendrecv_perf", 4, 4, 1) + launch_of("alltoall_perf", 8, 8, 0.875)).table;
  ASSERT_EQ(table.rows(), 8U);
  EXPECT_EQ(table.text("collective")[0], "send_recv");
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.text("collective")[4], "all_to_all");
  EXPECT_EQ(table.cell(4, "ranks"), "8");
}

TEST(NcclTests, an_excerpt_has_the_ranks_that_busbw_proves) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  const auto excerpt = log.substr(log.find("#  Rank  3"));
  const auto results = read(excerpt);
  ASSERT_EQ(results.table.rows(), 4U);
  EXPECT_EQ(results.table.cell(0, "ranks"), "4");
  EXPECT_EQ(results.table.cell(0, "nodes"), "0");
  EXPECT_EQ(results.table.text("collective")[0], "all_reduce");
  EXPECT_THAT(results.notes, Contains(AllOf(HasSubstr("4 ranks"), HasSubstr("busbw"))));
}

TEST(NcclTests, ranks_that_contradict_busbw_are_refused_with_both_numbers) {
  const auto log = launch_of("all_reduce_perf", 8, 4, 1.75);
  EXPECT_THAT(why_not(log), AllOf(HasSubstr("list of ranks reports 4"), HasSubstr("algbw implies 8")));
  EXPECT_EQ(read(log, {.ranks = 8}).table.cell(0, "ranks"), "8");
  EXPECT_THAT(why_not(log, {.ranks = 6}), HasSubstr("--ranks is 6"));
  // A rank that is listed is one of the ranks.
  const auto excerpt = launch_of("all_reduce_perf", 4, 8, 1.5);
  EXPECT_THAT(why_not(excerpt.substr(excerpt.find("#  Rank  7"))), AllOf(HasSubstr("rank 7"), HasSubstr("implies 4")));
}

TEST(NcclTests, the_option_does_not_overrule_what_the_file_proves) {
  const auto results = read(launch_of("all_reduce_perf", 4, 4, 1.5), {.ranks = 8});
  EXPECT_EQ(results.table.cell(0, "ranks"), "4");
  EXPECT_THAT(results.notes, Contains(HasSubstr("--ranks 8 is ignored")));
}

TEST(NcclTests, the_option_settles_an_excerpt_that_proves_nothing) {
  auto log = launch_of("all_gather_perf", 4, 0, 0.0);
  for (auto at = log.find(" 0.00 "); at != std::string::npos; at = log.find(" 0.00 ")) log.replace(at, 6, " N/A ");
  EXPECT_THAT(why_not(log), HasSubstr("give --ranks N"));
  EXPECT_EQ(read(log, {.ranks = 72}).table.cell(0, "ranks"), "72");
}

TEST(NcclTests, ranks_of_a_list_without_its_marks_count) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  log.erase(log.find("#  Rank  2"), 1);
  EXPECT_EQ(read(log).table.cell(0, "ranks"), "4");
}

TEST(NcclTests, several_launches_of_processes_without_mpi_are_not_joined) {
  const auto log = launch_of("all_reduce_perf", 2, 2, 1.0);
  std::string mixed;
  for (std::size_t at = log.find('\n') + 1; at < log.size(); at = log.find('\n', at) + 1) {
    const auto line = log.substr(at, log.find('\n', at) + 1 - at);
    mixed += line + line;
  }
  mixed.insert(mixed.find("50.00"), "1");  // not the same lines twice
  EXPECT_THAT(why_not(mixed), AllOf(HasSubstr("lists a rank twice"), Not(HasSubstr("failed"))));
  // Without the lists of ranks, the headers and sizes show it.
  EXPECT_THAT(why_not(mixed.substr(mixed.find("#  size")), {.ranks = 2}), HasSubstr("several headers"));
}

TEST(NcclTests, a_row_whose_elements_deviate_is_wrong_and_the_others_stay) {
  const std::string rows =
      "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
      "2097152 65536 float 830.0 2.53 2.21 0e+00 0.31 6765.01 5919.38 1e+00\n"
      "4194304 131072 float 1610.0 2.61 2.28 0e+00 900.0 4.66 4.08 0e+00\n";
  for (const std::string end : {"", "# Out of bounds values : 1 FAILED\n"}) {
    const auto table = read(rows + end, {.ranks = 8}, "alltoall_perf.log").table;
    ASSERT_EQ(table.rows(), 4U);
    for (std::size_t row = 0; row < 4; ++row)
      EXPECT_EQ(table.text("status")[row], row == 1 ? "wrong" : "ok") << end << row;
  }
  const auto sum = [](const std::string& deviation, const std::string& end) {
    return read(
               "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
               "1048576 262144 float sum 135.3 7.75 13.56 " +
                   deviation + " 132.7 7.90 13.83 4e-07\n" + end,
               {.ranks = 8}, "all_reduce.log")
        .table.text("status")[0];
  };
  EXPECT_EQ(sum("7e-07", ""), "ok");
  EXPECT_EQ(sum("2e-01", ""), "wrong");
  EXPECT_EQ(sum("2e-05", "# Out of bounds values : 0 OK\n"), "ok");
}

TEST(NcclTests, rates_that_no_hardware_has_are_not_ok) {
  auto log = launch_of("all_gather_perf", 4, 4, 0.75);
  log.replace(log.find("50.00"), 5, "0.010");
  EXPECT_EQ(read(log).table.text("status")[0], "failed");
  EXPECT_EQ(read(log).table.text("status")[1], "ok");
}

TEST(NcclTests, rows_without_their_header_are_told_without_any_other_table) {
  const std::string rows =
      "     1048576        262144     float     sum      -1    10.00  104.86    0.00       0     10.00  104.86    0.00 "
      "      0\n";
  EXPECT_THAT(why_not(rows), HasSubstr("without the header"));
  EXPECT_THAT(why_not("# nccl-tests version 2.18.0\n# Collective test starting: all_reduce_perf\n" + rows),
              HasSubstr("without the header"));
  EXPECT_THAT(why_not("# nThread 1 nGpus 1 minBytes 8 maxBytes 16\n"), HasSubstr("nccl-tests"));
}

TEST(NcclTests, launches_that_printed_among_one_another_are_refused) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  const auto rank = log.substr(log.find("#  Rank  2"), log.find("#  Rank  3") - log.find("#  Rank  2"));
  log.insert(log.find("#  Rank  2"), rank);
  EXPECT_THAT(why_not(log), HasSubstr("lists a rank twice"));
}

TEST(NcclTests, groups_of_ranks_are_communicators_of_their_own) {
  auto log = launch_of("all_reduce_perf", 2, 4, 1.0);
  for (const char* rank : {"Rank  2 Group  0", "Rank  3 Group  0"}) log[log.find(rank) + 15] = '1';
  EXPECT_EQ(read(log).table.cell(0, "ranks"), "2");
}

TEST(NcclTests, hosts_are_those_of_the_ranks_in_their_order) {
  auto log = launch_of("all_reduce_perf", 8, 8, 1.75);
  EXPECT_EQ(read(log).table.cell(0, "hosts"), "node-[0-1]*4");
  log.erase(log.find("on node-1"), 9);
  EXPECT_FALSE(read(log).table.has("hosts")) << "one rank's is not named";
}

TEST(NcclTests, the_version_of_nccl_is_the_librarys) {
  const auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  const auto version = [](const std::string& text) { return read(text).table.cell(0, "nccl_version"); };
  EXPECT_EQ(version("# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22809\n" + log), "2.28.9");
  auto told = log;
  told.insert(told.find("#  size"), "NCCL version 2.27.3+cuda12.9\n");
  EXPECT_EQ(version(told), "2.27.3");
  EXPECT_EQ(version(told + "NCCL version 2.28.9+cuda13.0\n" + log), "2.27.3") << "that of the first launch";
  EXPECT_FALSE(read(log).table.has("nccl_version"));
}

TEST(NcclTests, a_run_that_failed_after_some_rows_is_told) {
  auto log = launch_of("all_reduce_perf", 4, 4, 1.5);
  const auto end = log.find("# Out of bounds");
  const auto failed = log.substr(0, end) + "node-0: Test NCCL failure common.cu:958 'remote process exited / '\n" +
                      " .. node-0 pid 10: Test failure common.cu:1161\n";
  const auto results = read(failed);
  EXPECT_EQ(results.table.rows(), 4U);
  EXPECT_THAT(results.notes, Contains(AllOf(HasSubstr("failed after 2 rows"), HasSubstr("remote process exited"))));
  EXPECT_THAT(read(log).notes, Not(Contains(HasSubstr("failed after"))));
  const auto without = failed.substr(0, failed.find("1048576 262144")) + failed.substr(failed.find("node-0: Test"));
  EXPECT_THAT(why_not(without), HasSubstr("failed before"));
}

TEST(NcclTests, decimal_commas_are_named) {
  const auto rows =
      std::regex_replace(launch_of("all_reduce_perf", 4, 4, 1.5), std::regex("([0-9])\\.([0-9])"), "$1,$2");
  EXPECT_THAT(why_not(rows), AllOf(HasSubstr("decimal commas"), HasSubstr("'50,00'")));
}

}  // namespace
}  // namespace ringmark::analysis
