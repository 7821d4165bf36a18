#include "analysis/read/torn_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/reading.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

constexpr auto osu =
    "# OSU MPI Allreduce Latency Test v7.4\n# Datatype: MPI_FLOAT.\n# Size       Avg Latency(us)\n"
    "4                       2.50\n8                       2.60\n16                      2.70\n"
    "32                      2.80\n64                      2.90\n128                     3.00\n";

Results osu_with(const std::string& from, const std::string& to) { return read(replaced(osu, from, to), {.ranks = 4}); }

TEST(TornRows, of_osu_are_reported_by_file_and_line) {
  for (const auto& [from, to] : {std::pair{"16                      2.70", "16           \xff\x03@#.70"},
                                 {"16                      2.70", "1~\xfe                   2.70"},
                                 {"16                      2.70", "16"},
                                 {"16                      2.70", "16   2.\x01 7 0"},
                                 {"16                      2.70", "16          -*Gq#"},
                                 {"16                      2.70", "QVxz wpR abcdefgh"}}) {
    const auto results = osu_with(from, to);
    EXPECT_EQ(results.table.rows(), 5U) << to;
    EXPECT_THAT(results.notes, ElementsAre(StartsWith("f:6: left out: "))) << to;
  }
}

TEST(TornRows, are_each_reported) {
  auto text = replaced(osu, "8                       2.60", "8          %^  2.60");
  text = replaced(text, "16                      2.70", "1\xc3                2.70");
  const auto results = read(replaced(text, "128                     3.00",
                                     "128                     3,\xff"
                                     "0"),
                            {.ranks = 4});
  EXPECT_EQ(results.table.rows(), 3U);
  EXPECT_THAT(results.notes,
              ElementsAre(StartsWith("f:5: left out: "), StartsWith("f:6: left out: "), StartsWith("f:9: left out: ")));
}

TEST(TornRows, a_table_of_nothing_else_is_refused_with_one) {
  EXPECT_THAT(
      why_not("# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n4    2.5x\n", {.ranks = 4}),
      HasSubstr("f:1: its table has no row that can be read: line 3 has a row that cannot be read: '4    2.5x'"));
}

TEST(TornRows, lines_of_other_programs_are_not) {
  for (const char* other :
       {"\n", "# a comment 12\n", "[node1:12345] 3 more processes have sent help message help-mpi\n",
        "WARNING: release_mt library was used\n", "Loop 3 of 12 done\n", "------\n"}) {
    EXPECT_THAT(osu_with("16  ", other + std::string("16  ")).notes, IsEmpty()) << other;
    EXPECT_THAT(read(std::string(osu) + other, {.ranks = 4}).notes, IsEmpty()) << other;
  }
  EXPECT_THAT(read(std::string(osu) + "304 atoms\n0.25 s\nreal    0m3.456s\n[1] 4711\n", {.ranks = 4}).notes,
              IsEmpty());
  EXPECT_THAT(osu_with("16                      2.70\n", "").notes, IsEmpty()) << "a size that was not measured";
}

constexpr auto imb =
    "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# Benchmarking Allreduce\n# #processes = 4\n"
    "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
    "            0         1000         0.90         1.00         0.95\n"
    "            4         1000         1.00         1.40         1.20\n"
    "            8         1000         1.10         1.50         1.30\n"
    "           16         1000         1.20         1.60         1.40\n"
    "           32         1000         1.30         1.70         1.50\n";

TEST(TornRows, of_imb_are_reported) {
  for (const char* torn : {"            8         1\xf0"
                           "00         1.10         1.50         1.30",
                           "            8         1000         1.1#$        1.50         1.30",
                           "            8         1000         1.10         1.50",
                           "           \x02\xff         1000         1.10         1.50         1.30"}) {
    const auto results = read(replaced(imb, "            8         1000         1.10         1.50         1.30", torn));
    EXPECT_EQ(results.table.rows(), 4U) << torn;
    EXPECT_THAT(results.notes, ElementsAre(StartsWith("f:7: left out: "))) << torn;
  }
  EXPECT_THAT(read(std::string(imb) + "      2097152            0 out-of-mem.; needed X=  0.010 GB\n\n"
                                      "# All processes entering MPI_Finalize\n")
                  .notes,
              IsEmpty());
}

constexpr auto perftest =
    "                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n"
    " Number of qps   : 1\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n"
    " Link type       : IB\n"
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
    " 2          5000             7.10               7.00                 3.500000\n"
    " Conflicting CPU frequency values detected: 2000.000000 != 3000.000000. CPU Frequency is not max.\n"
    " 4          5000             14.10              14.00                3.500000\n"
    " 8          5000             28.10              28.00                3.500000\n"
    "---------------------------------------------------------------------------------------\n";

TEST(TornRows, of_perftest_are_reported) {
  EXPECT_THAT(read(perftest).notes, IsEmpty());
  const std::string row = " 8          5000             28.10              28.00                3.500000";
  for (const char* torn : {" 8          5000             2\xff.10              28.00                3.500000",
                           " 8          5@00             28.10              28.00                3.500000"}) {
    const auto results = read(replaced(perftest, row, torn));
    EXPECT_EQ(results.table.rows(), 2U) << torn;
    EXPECT_THAT(results.notes, ElementsAre(StartsWith("f:10: left out: "))) << torn;
  }
}

constexpr auto nccl =
    "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n"
    "     1048576        262144     float     sum      -1    56.00   18.72   32.77      0    56.00   18.72   32.77     "
    " 0\n"
    "     2097152        524288     float     sum      -1    80.00   26.21   45.88      0    80.00   26.21   45.88     "
    " 0\n"
    "     4194304       1048576     float     sum      -1   120.00   34.95   61.17      0   120.00   34.95   61.17     "
    " 0\n";

TEST(TornRows, of_nccl_tests_are_reported_with_the_word) {
  const auto notes = [](const std::string& from, const std::string& to) {
    const auto results = read(replaced(nccl, from, to), {}, "all_reduce.txt");
    EXPECT_EQ(results.table.rows(), 4U) << to;
    return results.notes;
  };
  EXPECT_THAT(notes("   26.21", "   2>.21"),
              testing::Contains("all_reduce.txt:4: left out: a row whose word '2>.21' cannot be read"));
  EXPECT_THAT(notes("2097152  ",
                    "20\xff\x01"
                    "152  "),
              testing::Contains(StartsWith("all_reduce.txt:4: left out: a row ")));
}

}  // namespace
}  // namespace ringmark::analysis
