// Each form of line as NCCL 2.28.9 prints it (src/debug.cc, enqueue.cc, init.cc, transport/net.cc, net_socket.cc), and
// what cuts and strangers make of them.
#include "transports/nccl/log_lines.hpp"

#include <gtest/gtest.h>

#include "transports/nccl/findings.hpp"

namespace ringmark {
namespace {

TEST(NcclLogLine, has_process_level_and_text) {
  const auto line = split_nccl_line("node1:123:456 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->process, "node1:123");
  EXPECT_EQ(line->level, "INFO");
  EXPECT_EQ(line->text, "Bootstrap : Using eth0:10.0.0.1<0>");
  EXPECT_FALSE(line->seconds);
}

TEST(NcclLogLine, may_have_a_time_stamp_or_a_source_file) {
  const auto call = split_nccl_line("[1795219661.140097479] vm:24455:24456 NCCL CALL ncclGroupStart()");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->process, "vm:24455");
  EXPECT_EQ(call->level, "CALL");
  EXPECT_DOUBLE_EQ(*call->seconds, 1795219661.140097479);
  const auto warning =
      split_nccl_line("[2026-11-22 04:00:00] vm:7:8 [1] enqueue.cc:1861 NCCL WARN Error : no algorithm");
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->level, "WARN");
  EXPECT_EQ(warning->text, "Error : no algorithm");
}

TEST(NcclLogLine, may_have_a_launchers_prefix) {
  for (const auto* prefix : {"[1,0]<stdout>:", "0: ", "[default0]:", "[0] ", "Mon Jan  1 10:29:53 2024<stdout>:",
                             "2024-01-01T10:29:53.123Z ", "(pid=123, ip=10.0.0.1) "}) {
    const auto text = std::string(prefix) + "node-1.x:123:456 [0] NCCL INFO Using network Socket\r";
    const auto line = split_nccl_line(text);
    ASSERT_TRUE(line) << prefix;
    EXPECT_EQ(line->process, "node-1.x:123") << prefix;
    EXPECT_EQ(line->text, "Using network Socket") << prefix;
  }
}

TEST(NcclLogLine, has_the_number_of_the_gpu) {
  EXPECT_EQ(split_nccl_line("n:1:2 [3] NCCL INFO Using network IB")->device, 3);
  EXPECT_EQ(split_nccl_line("[7] n:1:2 [3] NCCL INFO Using network IB")->device, 3);
  EXPECT_EQ(split_nccl_line("n:1:2 [3] enqueue.cc:1861 NCCL WARN Error")->device, 3);
  EXPECT_FALSE(split_nccl_line("[0] n:1:2 NCCL CALL ncclGroupStart()")->device);
}

TEST(NcclLogLine, may_lack_the_process) {
  const auto alone = split_nccl_line("[2] NCCL INFO Using network IB");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->device, 2);
  EXPECT_EQ(alone->text, "Using network IB");
  EXPECT_FALSE(alone->seconds);
  EXPECT_EQ(split_nccl_line("1: [2] NCCL INFO Using network IB")->process, "1");
  EXPECT_EQ(split_nccl_line("[1,5]<stdout>:[2] NCCL INFO Using network IB")->process, "[1,5]<stdout>");
}

TEST(NcclLogLine, may_have_a_rank_before_the_text) {
  for (const auto* rank : {"[0] ", "[13] ", "[rank 3] ", "[Rank3]: ", "rank 3: "}) {
    const auto text = std::string("n:1:2 [0] NCCL INFO ") + rank + "AllReduce: opCount 0";
    EXPECT_EQ(split_nccl_line(text)->text, "AllReduce: opCount 0") << rank;
  }
  EXPECT_EQ(split_nccl_line("n:1:2 [0] NCCL INFO [Proxy Service] done")->text, "[Proxy Service] done");
}

TEST(NcclLogLine, of_strangers_is_none) {
  for (const auto* line : {"", "hello", "step 3 loss 2.5", "NCCL INFO without a place", " NCCL ", "x NCCL INFO y"})
    EXPECT_FALSE(split_nccl_line(line)) << line;
}

TEST(NcclChoice, tells_algorithm_protocol_and_channels) {
  const auto choice = read_nccl_choice("AllReduce: 1048576 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..7}");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->collective, "AllReduce");
  EXPECT_EQ(choice->bytes, 1048576U);
  EXPECT_EQ(choice->algorithm, "Ring");
  EXPECT_EQ(choice->protocol, "LL128");
  EXPECT_EQ(choice->channels, 8);
  EXPECT_EQ(read_nccl_choice("AllGather: 8 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..0}")->algorithm,
            "NVLSTree");
  const auto symmetric = read_nccl_choice(
      "AllReduce [Symmetric]: 4096 Bytes -> Kernel AllReduce_AGxLL_R nchannels 4 nthreads 512 nWorks 1");
  ASSERT_TRUE(symmetric);
  EXPECT_EQ(symmetric->algorithm, nccl_symmetric);
  EXPECT_EQ(symmetric->protocol, "AllReduce_AGxLL_R");
  EXPECT_EQ(symmetric->channels, 4);
  for (const auto* cut : {"AllReduce [Symmetric]: 4096 Bytes -> Kernel X nchannels",
                          "AllReduce: 1048576 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..",
                          "AllReduce: 1048576 Bytes -> Algo", "AllReduce: x Bytes", "AllReduce"})
    EXPECT_FALSE(read_nccl_choice(cut)) << cut;
}

TEST(NcclConnection, tells_its_transport) {
  EXPECT_EQ(read_nccl_connection("Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0")->transport, "NET/Socket");
  const auto rdma = read_nccl_connection("Channel 03/0 : 7[7] -> 8[0] [receive] via NET/IB/2/GDRDMA");
  EXPECT_EQ(rdma->transport, "NET/IB");
  EXPECT_TRUE(rdma->gpu_direct);
  EXPECT_EQ(read_nccl_connection("Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read")->transport, "P2P");
  EXPECT_EQ(read_nccl_connection("Channel 01 : 0[0] -> 1[1] via SHM/direct/direct")->transport, "SHM");
  const auto libfabric = read_nccl_connection("Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/3/GDRDMA");
  EXPECT_EQ(libfabric->transport, "NET/AWS Libfabric");
  EXPECT_TRUE(libfabric->gpu_direct);
  EXPECT_EQ(read_nccl_connection("CollNet 00/0 : 8 [receive] via COLLNET/SHARP/0/GDRDMA")->transport, "COLLNET/SHARP");
  EXPECT_FALSE(read_nccl_connection("Channel 00/02 : 0 1 2 3"));
}

TEST(NcclNetwork, names_its_devices) {
  const auto socket = read_nccl_network("NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:10.1.0.1<0>");
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->devices, (std::vector<std::string>{"eth0", "eth1"}));
  const auto ib = read_nccl_network("NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>");
  ASSERT_TRUE(ib);
  EXPECT_EQ(ib->transport, "NET/IB");
  EXPECT_EQ(ib->link_layer, "RoCE");
  EXPECT_EQ(ib->devices, (std::vector<std::string>{"mlx5_0:1", "mlx5_1:1"}));
  EXPECT_FALSE(read_nccl_network("NET/IB : No device found."));
  EXPECT_FALSE(read_nccl_network("NET/Socket : Using "));
}

TEST(NcclSocketThreads, are_read) {
  const auto threads = read_nccl_socket_threads("NET/Socket: Using 2 threads and 8 sockets per thread");
  ASSERT_TRUE(threads);
  EXPECT_EQ(threads->threads, 2);
  EXPECT_EQ(threads->sockets, 8);
}

TEST(NcclFindings, count_lines_of_others) {
  NcclFindings findings;
  findings.add("step 1\nn:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0\n\nhalf a li");
  EXPECT_EQ(findings.skipped_lines, 2U);
  EXPECT_EQ(findings.network_used(), Network::tcp);
}

TEST(NcclFindings, a_network_decides_over_what_is_inside_a_node) {
  NcclFindings findings;
  findings.connections = {"NET/IB", "P2P", "SHM"};
  findings.network = NcclNetwork{"NET/IB", {"mlx5_0:1"}, "RoCE"};
  EXPECT_EQ(findings.network_used(), Network::roce);
  findings.network->link_layer = "IB";
  EXPECT_EQ(findings.network_used(), Network::ib);
  findings.connections = {"COLLNET/SHARP", "P2P"};
  EXPECT_EQ(findings.network_used(), Network::ib) << "whose switches reduce";
  findings.connections = {"P2P", "SHM"};
  EXPECT_EQ(findings.network_used(), Network::shm);
  findings.connections = {"P2P"};
  EXPECT_EQ(findings.network_used(), Network::device);
}

TEST(IgnoredSettings, are_those_that_the_log_contradicts) {
  NcclFindings findings;
  findings.choice = NcclChoiceLine{"AllReduce", 8, "Ring", "LL", 2};
  findings.socket_threads = NcclSocketThreads{16, 4};
  findings.connections = {"NET/Socket"};
  const auto ignored = [&](std::map<std::string, std::string> environment) {
    return ignored_settings(findings, environment, "all_reduce");
  };
  EXPECT_EQ(ignored({}), "");
  EXPECT_EQ(ignored({{"NCCL_ALGO", "Ring,Tree"}, {"NCCL_PROTO", "^LL128"}, {"NCCL_MAX_NCHANNELS", "2"}}), "");
  EXPECT_EQ(ignored({{"NCCL_ALGO", "Tree"}}), "NCCL_ALGO=Tree: NCCL used Ring");
  EXPECT_EQ(ignored({{"NCCL_ALGO", "Ring;allreduce:Tree"}}), "NCCL_ALGO=Ring;allreduce:Tree: NCCL used Ring");
  EXPECT_EQ(ignored({{"NCCL_PROTO", "Simple"}}), "NCCL_PROTO=Simple: NCCL used LL");
  EXPECT_EQ(ignored({{"NCCL_MAX_CTAS", "1"}}), "NCCL_MAX_CTAS=1: NCCL used 2 channels");
  EXPECT_EQ(ignored({{"NCCL_SOCKET_NTHREADS", "16"}, {"NCCL_NSOCKS_PERTHREAD", "8"}}),
            "NCCL_NSOCKS_PERTHREAD=8: NCCL used 4");
  EXPECT_EQ(ignored({{"NCCL_IB_HCA", "mlx5_0"}}), "NCCL fell back to sockets although NCCL_IB_HCA=mlx5_0 requests IB");
  EXPECT_EQ(ignored({{"NCCL_NET", "ib"}}), "NCCL fell back to sockets although NCCL_NET=ib requests IB");
  EXPECT_EQ(ignored({{"NCCL_IB_HCA", "^mlx5_0"}}), "") << "asks for none";
  EXPECT_EQ(ignored({{"NCCL_IB_TC", "106"}}), "NCCL_IB_TC=106: NCCL uses sockets");
  EXPECT_EQ(ignored({{"NCCL_IB_TC", "106"}, {"NCCL_IB_DISABLE", "1"}}), "") << "as was asked for";
  EXPECT_EQ(ignored({{"NCCL_MAX_NCHANNELS", "0x1"}}), "NCCL_MAX_NCHANNELS=0x1: NCCL used 2 channels");
  EXPECT_EQ(ignored({{"NCCL_MAX_NCHANNELS", "1"}, {"NCCL_MIN_CTAS", "1"}}),
            "NCCL_MAX_NCHANNELS=1: NCCL used 2 channels");
  EXPECT_EQ(ignored({{"NCCL_MAX_NCHANNELS", "1"}, {"NCCL_MIN_CTAS", "2"}}), "") << "which beats it";
  findings.channels = 4;
  EXPECT_EQ(ignored({{"NCCL_MIN_NCHANNELS", "32"}}), "NCCL_MIN_NCHANNELS=32: NCCL created 4 channels");
  EXPECT_EQ(ignored({{"NCCL_MIN_NCHANNELS", "4"}, {"NCCL_MAX_NCHANNELS", "4"}}), "") << "of which a call may use fewer";
}

TEST(IgnoredSettings, are_those_of_networks_that_nothing_goes_over) {
  NcclFindings findings;
  const auto ignored = [&](std::map<std::string, std::string> environment) {
    return ignored_settings(findings, environment, "all_reduce");
  };
  EXPECT_EQ(ignored({{"NCCL_SOCKET_NTHREADS", "4"}}), "") << "nothing is known";
  findings.connections = {"P2P"};
  EXPECT_EQ(ignored({{"NCCL_SOCKET_NTHREADS", "4"}}), "NCCL_SOCKET_NTHREADS=4: no connection goes over sockets");
  EXPECT_EQ(ignored({{"NCCL_IB_TC", "106"}}), "NCCL_IB_TC=106: no connection goes over IB or RoCE");
  EXPECT_EQ(ignored({{"NCCL_P2P_DISABLE", "1"}}), "NCCL_P2P_DISABLE=1: NCCL used P2P");
  findings.connections = {"NET/Socket"};
  EXPECT_EQ(ignored({{"NCCL_NSOCKS_PERTHREAD", "8"}}), "NCCL_NSOCKS_PERTHREAD=8: NCCL used no helper threads");
  EXPECT_EQ(ignored({{"NCCL_SOCKET_NTHREADS", "0"}}), "");
  findings.connections = {"NET/IB"};
  EXPECT_EQ(ignored({{"NCCL_NET", "Socket"}}), "NCCL uses IB although sockets were requested");
}

TEST(NcclLines, are_of_the_process_behind_any_clock) {
  for (const std::string stamp :
       {"", "10:29:53 ", "2026-11-22 10:29:53 ", "[1795219661.14] ", "Sun Nov 22 10:29:53 2026<stdout>:"}) {
    const auto text = stamp + "vm:11:12 [0] NCCL INFO comm 0x7f";
    const auto line = split_nccl_line(text);
    ASSERT_TRUE(line) << text;
    EXPECT_TRUE(line->process.ends_with("vm:11")) << line->process;
  }
}

TEST(NcclLines, tell_how_many_channels_there_are) {
  EXPECT_EQ(read_nccl_channel_count("4 coll channels, 4 collnet channels, 0 nvls channels, 4 p2p channels"), 4);
  EXPECT_FALSE(read_nccl_channel_count("Channel 00/04 : 0 1"));
}

}  // namespace
}  // namespace ringmark
