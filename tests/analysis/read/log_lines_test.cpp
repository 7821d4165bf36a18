#include "analysis/read/log_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/read/foreign_rows.hpp"
#include "tests/analysis/reading.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

std::pair<std::string, std::string> plain(std::string_view line) {
  const auto parts = parts_of_line(line, 1);
  EXPECT_EQ(parts.size(), 1U) << line;
  return {parts.front().text, parts.front().origin};
}

/// The origin and the words of each part.
std::vector<std::string> parts(std::string_view line) {
  std::vector<std::string> all;
  for (const auto& part : parts_of_line(line, 1))
    all.push_back(fmt::format("{}: {}", part.origin, fmt::join(words_of(part.text), " ")));
  return all;
}

TEST(LogLines, that_were_written_over_have_what_came_last) {
  const std::string row = "1024   20.00";
  EXPECT_EQ(plain("progress 10 %\r" + row).first, row);
  EXPECT_EQ(plain("progress 10 %\rprogress 20 %\r" + row).first, row);
}

TEST(LogLines, launchers_and_loggers_write_before_a_line) {
  const std::string row = "1024   20.00";
  const std::pair<std::string, std::string> lines[]{{"[1,3]<stdout>:", "3"},
                                                    {"[prterun-node-12@1,3]<stdout>: ", "3"},
                                                    {"Tue Nov  2 10:11:12 2021[1,3]<stdout>:", "3"},
                                                    {" 3: ", "3"},
                                                    {"[3] ", "3"},
                                                    {"2024-05-01T12:34:56.789012345Z ", ""},
                                                    {"2024-05-01T12:34:56.789Z stdout F ", ""},
                                                    {"[2024-05-01T12:34:56.789Z] ", ""},
                                                    {"2024-05-01 12:34:56,789 - INFO - ", ""},
                                                    {"12:34:56 ", ""},
                                                    {"[12:34:56] ", ""},
                                                    {"May  1 12:34:56 node-1 slurm[77]: ", "node-1"},
                                                    {"[pod/job-launcher-x7/main] ", "pod/job-launcher-x7/main"},
                                                    {"launcher-1  | ", "launcher-1"},
                                                    {"node-1: ", "node-1"},
                                                    {"(worker pid=7, ip=10.0.0.1) ", "worker pid=7, ip=10.0.0.1"},
                                                    {"INFO:root:", ""},
                                                    {"I0501 12:34:56.123456   12345 main.go:12] ", ""},
                                                    {"2024-05-01T12:34:56.123456Z 01O ", ""},
                                                    {"2024-05-01 12:34:56.789 | INFO     | __main__:run:12 - ", ""},
                                                    {"> ", ""},
                                                    {"2024-05-01T12:34:56Z [1,3]<stdout>:", "3"},
                                                    {"\x1b[0;32m", ""}};
  for (const auto& [prefix, origin] : lines) {
    const auto [text, from] = plain(prefix + row + "\r");
    EXPECT_EQ(text, row) << prefix;
    EXPECT_EQ(from, origin) << prefix;
  }
  EXPECT_EQ(plain(R"({"log":"1024   20.00\n","stream":"stdout","time":"2024-05-01T12:34:56Z"})").first, row);
  EXPECT_EQ(plain(R"({"level":"info","message":"1024   20.00"})").first, row);
  EXPECT_EQ(plain("[1,0]<stdout>: 8 float[1,0]<stdout>: 1.5[1,0]<stdout>: 0").first, "8 float  1.5  0");
}

TEST(LogLines, a_tag_within_a_row_is_taken_off) {
  const std::pair<std::string, std::string> tags[]{{"", "[1,0]<stdout>:"},  // before the line, and within it
                                                   {"", "[prterun-a-1@1,0]<stderr>:"},
                                                   {"", "[0] "},
                                                   {"", "[default0]:"},
                                                   {"", "[rank0]: "},
                                                   {"", "0: "},
                                                   {"", "node-3: "},
                                                   {"2024-05-01T12:34:56Z ", "[0] "},
                                                   {"node-1: ", "[1,0]<stdout>:"}};
  for (const auto& [before, tag] : tags) {
    const auto text = plain(before + tag + "    1024 float -1" + tag + "   2.5  0" + tag + "   3.5").first;
    EXPECT_EQ(words_of(text), (Words{"1024", "float", "-1", "2.5", "0", "3.5"})) << before << tag;
  }
}

TEST(LogLines, a_tag_within_the_names_of_columns_is_taken_off) {
  const auto text = plain("[0] # Size[0]   Avg Latency(us)").first;
  EXPECT_EQ(words_of(text), (Words{"#", "Size", "Avg", "Latency(us)"}));
}

TEST(LogLines, a_tag_of_another_rank_begins_a_part_of_that_rank) {
  EXPECT_THAT(parts("[1,0]<stdout>: 8 float -1[1,1]<stdout>:hello"), testing::ElementsAre("0: 8 float -1", "1: hello"));
  EXPECT_THAT(parts("[2]  8 float -1[11] hello"), testing::ElementsAre("2: 8 float -1", "11: hello"));
  EXPECT_THAT(parts("[0] using [1] and [2]"), testing::ElementsAre("0: using [1] and [2]")) << "no row";
}

TEST(LogLines, a_message_of_nccl_within_a_row_is_a_line_of_its_own) {
  const std::string message = "alpha0:700:701 [0] NCCL INFO AllReduce: 8 Bytes";
  for (const std::string row : {"8 2 float sum -1", "41.0 0.4 0.6 0", "41.0 0.4 0.6 N/A"}) {
    EXPECT_THAT(parts(row + message), testing::ElementsAre(": " + row, ": " + message));
    EXPECT_THAT(parts(row + "[2026-11-22 04:00:00] " + message), testing::ElementsAre(": " + row, ": " + message));
    EXPECT_THAT(parts("[0] " + row + "[0] " + message), testing::ElementsAre("0: " + row, "0: " + message));
  }
  EXPECT_EQ(parts(message).size(), 1U);
  EXPECT_EQ(parts("some text " + message).size(), 1U);
}

TEST(LogLines, that_all_stand_there_twice_count_once) {
  std::string text;
  for (const char* line : {"# a", "#", "", "8 2.5", "16 2.6"}) text += std::string(line) + "\n" + line + "\r\n";
  EXPECT_EQ(log_lines(text).size(), 5U);
  EXPECT_EQ(log_lines(text + "# end\n").size(), 11U);
}

TEST(LogLines, a_line_without_a_prefix_stays_as_it_is) {
  for (const char* line : {"    1024   20.00", "#  Rank  0 Group  0 Pid 12 on node-a device  0",
                           "# Size  Avg Latency(us)", " Link type       : IB", " 65536      5000   2100.00"}) {
    EXPECT_EQ(plain(line).first, line);
    EXPECT_EQ(plain(line).second, "");
  }
}

TEST(LogLines, tables_that_ranks_printed_at_the_same_time_are_read_one_after_another) {
  const auto table = read(
                         "0: # OSU MPI Allreduce Latency Test v5.6\n1: # OSU MPI Allreduce Latency Test v5.6\n"
                         "0: # Size       Avg Latency(us)\n1: # Size       Avg Latency(us)\n"
                         "1: 4  9.00\n0: 4  2.50\n0: 8  2.60\n1: 8  9.10\n",
                         {.ranks = 4})
                         .table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.figure(0, "time_us_p50"), 2.5);
  EXPECT_EQ(table.figure(1, "time_us_p50"), 2.6);
  EXPECT_EQ(table.text("run_id")[0], table.text("run_id")[1]);
  EXPECT_NE(table.text("run_id")[0], table.text("run_id")[2]);
}

TEST(LogLines, tables_that_are_not_mixed_stay_below_their_commands) {
  const auto lines = log_lines("$ first\n0: # OSU a\n0: 4 1.0\n$ second\n1: # OSU b\n1: 4 1.0\n");
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[3].text, "$ second");
  EXPECT_EQ(lines[4].text, "# OSU b");
}

}  // namespace
}  // namespace ringmark::analysis
