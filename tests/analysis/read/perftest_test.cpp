#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/reading.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;

std::string perftest(const std::string& title, const std::string& table, const std::string& link = "IB") {
  return "                    " + title +
         " Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n Number of qps   : 2\t\tTransport type : IB\n"
         " Connection type : RC\t\tUsing SRQ      : OFF\n Mtu             : 4096[B]\n Link type       : " +
         link + "\n" + table;
}

constexpr auto bandwidths =
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
    " 65536      5000             2100.00            2000.00              0.032000\n";
constexpr auto latencies =
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% "
    "percentile[usec]   99.9% percentile[usec] \n"
    " 2       1000          1.50           9.00         1.60               1.70             0.10   2.00   8.00\n";

TEST(Perftest, an_excerpt_is_the_test_of_the_command_above_it) {
  const auto results = read("user@a $ ./ib_write_bw -d mlx5_0 --report_gbits --use_cuda=0 10.0.0.1\n" +
                            std::string(bandwidths) + "$ numactl -b ib_read_lat -d mlx5_0 10.0.0.1\n" + latencies);
  ASSERT_EQ(results.table.rows(), 2U);
  EXPECT_EQ(results.table.text("perftest")[0], "ib_write_bw");
  EXPECT_EQ(results.table.text("memory")[0], "cuda");
  EXPECT_EQ(results.table.text("perftest")[1], "ib_read_lat");
  EXPECT_EQ(results.table.text("memory")[1], "host");
  EXPECT_NE(results.table.text("run_id")[0], results.table.text("run_id")[1]);
  EXPECT_THAT(results.notes, Contains(HasSubstr("assumed to be a 'RDMA_Write BW Test'")));
  EXPECT_EQ(
      read("$ ib_send_bw --bind_source_ip 10.0.0.1 --use_mlu=0\n" + std::string(bandwidths)).table.text("memory")[0],
      "mlu");
  EXPECT_THAT(why_not("$ ib_write_bw a\n$ ib_atomic_bw a\n" + std::string(bandwidths)), HasSubstr("no line above"))
      << "the test of another program";
  for (const char* more : {" -b", " -ab", " --bidirectional", " -O"})
    EXPECT_THAT(why_not("$ ib_send_bw" + std::string(more) + "\n" + bandwidths), HasSubstr("it adds up")) << more;
  EXPECT_THAT(why_not(perftest("RDMA_Write BW", bandwidths) + "a table of its own\n" + bandwidths), HasSubstr("1 rows"))
      << "whose test nothing says";
}

TEST(Perftest, a_header_may_have_lost_a_mark) {
  std::string text = perftest("RDMA_Read BW", bandwidths);
  text.erase(text.find("#iterations"), 1);
  EXPECT_EQ(read(text).table.text("perftest")[0], "ib_read_bw");
}

TEST(Perftest, a_bandwidth_is_a_row_of_a_link) {
  const auto table = read(perftest("RDMA_Write BW", bandwidths)).table;
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.text("schema")[0], "link/1");
  EXPECT_EQ(table.text("collective")[0], "bandwidth");
  EXPECT_EQ(table.text("transport")[0], "verbs");
  EXPECT_EQ(table.text("network")[0], "ib");
  EXPECT_EQ(table.text("memory")[0], "host");
  EXPECT_EQ(table.text("perftest")[0], "ib_write_bw");
  EXPECT_EQ(table.text("queue_pairs")[0], "2");
  EXPECT_NEAR(*table.figure(0, "algbw_GBps"), 2.097152, 1e-9);  // its MB are 2^20 bytes
  EXPECT_NEAR(*table.figure(0, "time_us_p50"), 31.25, 1e-9);
}

TEST(Perftest, gigabits_are_decimal) {
  std::string table = bandwidths;
  for (auto at = table.find("MB/sec"); at != std::string::npos; at = table.find("MB/sec"))
    table.replace(at, 6, "Gb/sec");
  const auto results = read("initializing CUDA\n" + perftest("RDMA_Read BW", table, "Ethernet"));
  EXPECT_NEAR(*results.table.figure(0, "algbw_GBps"), 250, 1e-9);
  EXPECT_EQ(results.table.text("network")[0], "roce");
  EXPECT_EQ(results.table.text("memory")[0], "cuda");
}

TEST(Perftest, memory_and_network_are_those_that_it_says) {
  const auto memory = [](const std::string& above, const std::string& below = "") {
    return read(above + perftest("RDMA_Read BW", below + bandwidths)).table.text("memory")[0];
  };
  EXPECT_EQ(memory("initializing MUSA\n\nPicking device No. 0\n", " Use MUSA memory : ON\n"), "musa");
  EXPECT_EQ(memory("initializing MLU\n"), "mlu");
  EXPECT_EQ(memory("Using ROCm Device with ID: 0, Name: X\n"), "rocm");
  EXPECT_EQ(memory("initializing CUDA\nallocated GPU buffer of a 131072 address at 0x7f for type CUDA_MEM_MANAGED\n"),
            "managed");
  EXPECT_EQ(memory("initializing CUDA\nallocated GPU buffer of a 131072 address at 0x7f for type CUDA_MEM_HOSTALLOC\n"),
            "host");
  EXPECT_EQ(memory("", " Use ROCm memory : OFF\n Use MUSA memory : OFF\n"), "host");
  auto iwarp = perftest("RDMA_Read BW", bandwidths, "Ethernet");
  iwarp.replace(iwarp.find("type : IB"), 9, "type : IW");
  EXPECT_EQ(read(iwarp).table.text("network")[0], "");
}

TEST(Perftest, a_latency_has_the_typical_time_and_the_others) {
  const auto table = read(perftest("RDMA_Read Latency", latencies)).table;
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.text("collective")[0], "latency");
  EXPECT_EQ(table.text("perftest")[0], "ib_read_lat");
  EXPECT_EQ(table.figure(0, "time_us_p50"), 1.6);
  EXPECT_EQ(table.figure(0, "time_us_mean"), 1.7);
  EXPECT_EQ(table.figure(0, "time_us_p99"), 2.0);
  EXPECT_EQ(table.cell(0, "samples"), "1000");
}

TEST(Perftest, what_is_no_link_in_one_direction_is_refused_by_name) {
  EXPECT_THAT(why_not(perftest("RDMA_Write Bidirectional BW", bandwidths)), HasSubstr("both directions"));
  EXPECT_THAT(why_not(perftest("Atomic FETCH_AND_ADD BW", bandwidths)), HasSubstr("Atomic"));
  EXPECT_THAT(why_not(bandwidths), HasSubstr("whole output"));
  const auto results = read(perftest("Atomic CMP_AND_SWAP BW", bandwidths) + perftest("Send BW", bandwidths));
  EXPECT_EQ(results.table.rows(), 1U);
  EXPECT_EQ(results.notes.size(), 1U);
}

TEST(Perftest, the_reports_of_both_ends_are_one_test) {
  const std::string one = " local address: LID 0x01 QPN 0x11 PSN 0xa\n remote address: LID 0x02 QPN 0x22 PSN 0xb\n";
  const std::string other = " local address: LID 0x02 QPN 0x22 PSN 0xb\n remote address: LID 0x01 QPN 0x11 PSN 0xa\n";
  EXPECT_EQ(read(perftest("Send BW", one + bandwidths) + perftest("Send BW", other + bandwidths)).table.rows(), 1U);
  EXPECT_EQ(read(perftest("Send BW", one + bandwidths) + perftest("Send BW", one + bandwidths)).table.rows(), 2U);
}

TEST(Perftest, json_says_the_unit_by_the_rate_of_messages) {
  const std::string json = R"({"test_info": {"test": "RDMA_Write_BW_Test", "Link_type": "Ethernet", "Number_of_qps": 1,
    "Connection_type": "RC"}, "results": {"MsgSize": 65536, "n_iterations": 5000, "BW_peak": 97.1, "BW_average": 96.00,
    "MsgRate": 0.183105}})";
  const auto table = read(json).table;
  EXPECT_EQ(table.text("perftest")[0], "ib_write_bw");
  EXPECT_NEAR(*table.figure(0, "algbw_GBps"), 12, 1e-9);
  auto mebibytes = json;
  mebibytes.replace(mebibytes.find("96.00"), 5, "11444");
  EXPECT_NEAR(*read(mebibytes).table.figure(0, "algbw_GBps"), 12, 1e-3);
  auto neither = json;
  neither.replace(neither.find("96.00"), 5, "50.00");
  EXPECT_THAT(why_not(neither), HasSubstr("unit"));
}

}  // namespace
}  // namespace ringmark::analysis
