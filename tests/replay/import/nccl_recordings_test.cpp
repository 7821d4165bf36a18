// Calls that captures and logs of NCCL recorded.

#include <fstream>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/import/import.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// As NCCL 2.28.9 logs it with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL: two ranks in one log, which others write
/// to.
std::string nccl_log(int steps) {
  std::string text = "starting to train\n";
  for (const int rank : {0, 1}) {
    text += fmt::format(
        "n:{0}:9 [0] NCCL INFO ncclCommInitRank comm 0xa rank {0} nranks 2 cudaDev 0 nvmlDev 0 busId 1000 "
        "commId 0x1 - Init COMPLETE\n",
        rank);
  }
  for (int step = 0; step < steps; ++step) {
    for (const int rank : {1, 0}) {
      const auto line = [&](const char* call, int count, int type) {
        return fmt::format(
            "n:{}:9 [0] NCCL INFO {}: opCount {:x} sendbuff 0x1 recvbuff 0x2 count {} datatype {} op 0 root 0 "
            "comm 0xa [nranks=2] stream 0x3\n",
            rank, call, step, count, type);
      };
      text += line("AllGather", 64, 9) + line("AllReduce", 10, 7) + line("AllReduce", 20, 7);
    }
  }
  return text + "n:0:9 [0] NCCL INFO AllReduce: opCount 5 sendb";
}

TEST(NcclLogs, have_a_recording_for_each_process_and_its_last_round) {
  const auto all = import_text("log", nccl_log(4));
  ASSERT_EQ(all.size(), 2U);
  for (const auto& [name, imported] : all) {
    EXPECT_THAT(elements(imported), ElementsAre(128, 10, 20)) << name;
    EXPECT_EQ(imported.ranks, 2);
    EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("has 4 rounds of the same 3 calls")));
  }
  std::vector<std::string> notes;
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("n.log")) << nccl_log(1);
  const auto trace = import_step({folder.file("n.log")}, {}, notes);
  EXPECT_EQ(trace.ranks, 2);
  EXPECT_THAT(fmt::format("{}", fmt::join(notes, "|")), HasSubstr("truncated"));
  EXPECT_THAT(fmt::format("{}", fmt::join(notes, "|")), HasSubstr("not written by NCCL"));
  EXPECT_THAT(refusal("n:0:9 [0] NCCL INFO Bootstrap : Using lo"), HasSubstr("NCCL_DEBUG_SUBSYS=INIT,COLL"));
}

std::string captured(int rank, int rank_in_group, const std::string& calls) {
  return fmt::format(R"({{"schema":"capture/1","host":"n","pid":{0}}}
{{"t":1,"comm":0,"rank":{0},"ranks":8,"id":"a"}}
{{"t":2,"comm":1,"rank":{1},"ranks":4,"id":"0"}}
)",
                     rank, rank_in_group) +
         calls;
}
constexpr auto in_group = R"({"t":3,"f":"AllReduce","n":8,"dt":7,"op":2,"root":0,"comm":1,"s":0,"us":1}
)";

TEST(Captures, tell_neighbours_from_every_nth) {
  const testing_support::ResultFolder folder;
  const auto trace_of = [&](const std::vector<std::pair<int, int>>& ranks, std::vector<std::string>& notes) {
    std::vector<std::string> files;
    for (const auto& [rank, rank_in_group] : ranks) {
      files.push_back(folder.file(std::to_string(rank)));
      std::ofstream(files.back()) << captured(rank, rank_in_group, in_group);
    }
    return import_step(files, {}, notes);
  };
  std::vector<std::string> notes;
  const auto block = trace_of({{5, 1}}, notes);
  EXPECT_EQ(block.groups.at(0), (Group{"block4", Group::Kind::block, 4}));
  EXPECT_EQ(block.events.at(0).op, ReduceOp::max);
  EXPECT_EQ(trace_of({{5, 2}}, notes).groups.at(0), (Group{"stride2", Group::Kind::stride, 2}));
  EXPECT_THAT(notes, testing::Not(testing::Contains(HasSubstr("assumed to have neighbouring ranks"))));
  EXPECT_EQ(trace_of({{0, 0}}, notes).groups.at(0).kind, Group::Kind::block);
  EXPECT_THAT(notes, testing::Contains(HasSubstr("assumed to have neighbouring ranks")));
  EXPECT_EQ(trace_of({{0, 0}, {2, 1}}, notes).groups.at(0).kind, Group::Kind::stride);
  EXPECT_THROW(trace_of({{5, 3}}, notes), BadUsage) << "neither, and nothing else is left";
}

TEST(Captures, know_what_was_computed_before_messages_to_all) {
  std::string calls = R"({"t":10,"f":"AllReduce","n":8,"dt":7,"op":0,"root":0,"comm":1,"s":0,"us":1}
{"t":5010,"group":"start"}
)";
  for (int peer = 0; peer < 4; ++peer) {
    for (const char* function : {"Send", "Recv"})
      calls += fmt::format(R"({{"t":{},"f":"{}","n":8,"dt":7,"op":0,"root":{},"comm":1,"s":0,"us":1}}
)",
                           5011 + peer, function, peer);
  }
  const auto imported = only(import_text("x.json", captured(0, 0, calls + R"({"t":6000,"group":"end"}
)")));
  ASSERT_EQ(imported.calls.size(), 2U);
  EXPECT_EQ(imported.calls[1].collective, Collective::all_to_all);
  EXPECT_DOUBLE_EQ(imported.calls[1].computed_us, 5000);
}

TEST(Captures, keep_equal_parts_of_one_rank_beside_unequal_ones_of_another) {
  const testing_support::ResultFolder folder;
  std::vector<std::string> files;
  for (const auto& lengths : {std::pair(4, 4), std::pair(2, 6)}) {
    const auto rank = files.size();
    files.push_back(folder.file(std::to_string(rank)));
    std::ofstream out(files.back());
    out << fmt::format(R"({{"schema":"capture/1","host":"n","pid":{0}}}
{{"t":1,"comm":0,"rank":{0},"ranks":2,"id":"a"}}
{{"t":9,"group":"start"}}
)",
                       rank);
    for (int peer = 0; peer < 2; ++peer) {
      for (const char* function : {"Send", "Recv"})
        out << fmt::format(R"({{"t":{},"f":"{}","n":{},"dt":7,"op":0,"root":{},"comm":0,"s":0,"us":1}}
)",
                           10 + peer, function, peer == 0 ? lengths.first : lengths.second, peer);
    }
    out << R"({"t":20,"group":"end"}
)";
  }
  std::vector<std::string> notes;
  const auto trace = import_step(files, {}, notes);
  ASSERT_EQ(trace.events.size(), 2U) << "the call and the wait for its end";
  EXPECT_EQ(trace.events[0].counts, (std::vector<std::uint64_t>{4, 4, 2, 6}));
}

TEST(Captures, of_killed_processes_end_in_zeros_and_half_lines) {
  auto text = captured(0, 0, in_group) + R"({"t":4,"f":"AllRed)" + std::string(100, '\0');
  const auto imported = only(import_text("c", text));
  EXPECT_EQ(imported.calls.size(), 1U);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("truncated line", 1)));
  EXPECT_THAT(refusal(captured(0, 0, R"({"t":4,"f":"AllReduce","n":"eight"})")), HasSubstr("x.json: "));
}

TEST(NcclLogs, of_calls_alone_tells_ranks_too) {
  const auto line = [](int pid, const std::string& call) {
    return fmt::format("n:{0}:{0} NCCL CALL {1}\n", pid, call);
  };
  std::string text;
  for (const int pid : {1, 2})
    text += line(pid, fmt::format("ncclCommInitRank(0xa, 2, 0x1879, {}, 0)", pid - 1)) +
            line(pid, "ncclAllGather(1,2,100,7,0,0,0xa,0x1)");
  const auto all = import_text("log", text);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].second.ranks, 2);
  EXPECT_EQ(all[1].second.calls.at(0).elements, 200U) << "of all ranks";
}

TEST(NcclLogs, of_one_process_with_several_ranks_is_one_of_several) {
  std::string text;
  for (const int rank : {0, 1})
    text += fmt::format("n:1:1 NCCL CALL ncclCommInitRank(0xa{0}, 2, 0x1879, {0}, {0})\n", rank);
  for (const int rank : {0, 1, 0, 1})
    text += fmt::format("n:1:1 NCCL CALL ncclAllReduce(1,2,100,7,0,0,0xa{},0x1)\n", rank);
  const auto all = import_text("log", text);
  ASSERT_EQ(all.size(), 2U);
  for (const auto& [name, imported] : all) EXPECT_EQ(imported.calls.size(), 2U) << name;
  EXPECT_THAT(all[1].first, HasSubstr("rank 1"));
}

// NCCL before 2.16 logs neither the function's name nor an identifier of the communicator.
TEST(NcclLogs, tell_the_ranks_of_a_process_by_their_gpus) {
  std::string text;
  for (const int gpu : {0, 1})
    text += fmt::format(
        "n:1:1{0} [{0}] NCCL INFO comm 0xa{0} rank {0} nranks 2 cudaDev {0} busId 1000 - Init COMPLETE\n", gpu);
  for (int call = 0; call < 3; ++call) {
    for (const int gpu : {0, 1})
      text += fmt::format(
          "n:1:1{0} [{0}] NCCL INFO AllReduce: opCount {1} sendbuff 0x1 recvbuff 0x2 count {2} datatype 7 op 0 root 0 "
          "comm 0xa{0} [nranks=2] stream 0x3\n",
          gpu, call, 100 + call);
  }
  const auto all = import_text("log", text);
  ASSERT_EQ(all.size(), 2U);
  for (const auto& [name, imported] : all) EXPECT_THAT(elements(imported), ElementsAre(100, 101, 102)) << name;
}

/// A line of a call, as a rank without INIT logs it.
std::string call_line(const std::string& before, const char* call, int op_count, int count, int peer, int ranks,
                      const std::string& communicator = "0xa") {
  return fmt::format(
      "{} {}: opCount {:x} sendbuff 0x1 recvbuff 0x2 count {} datatype 7 op 0 root {} comm {} [nranks={}] stream "
      "0x3\n",
      before, call, op_count, count, peer, communicator, ranks);
}

TEST(NcclLogs, messages_of_different_launches_are_different_calls) {
  std::string text;
  for (const int launch : {9, 10}) {
    for (int peer = 0; peer < 4; ++peer) {
      for (const char* call : {"Send", "Recv"})
        text += call_line("n:1:1 [0] NCCL INFO", call, launch, launch * 100, peer, 4);
    }
  }
  const auto imported = only(import_text("log", text));
  EXPECT_THAT(elements(imported), ElementsAre(3600, 4000));
  EXPECT_EQ(imported.calls[0].collective, Collective::all_to_all);
}

TEST(NcclLogs, tell_the_ranks_of_a_process_by_their_gpus_without_the_communicators_too) {
  std::string text;
  for (int call = 0; call < 3; ++call) {
    for (const int gpu : {0, 1})
      text += call_line(fmt::format("n:1:1{0} [{0}] NCCL INFO", gpu), "AllReduce", call, 100 + call, 0, 2,
                        fmt::format("0xa{}", gpu));
  }
  const auto all = import_text("log", text);
  ASSERT_EQ(all.size(), 2U);
  for (const auto& [name, imported] : all) EXPECT_THAT(elements(imported), ElementsAre(100, 101, 102)) << name;
}

TEST(NcclLogs, of_a_rank_with_communicators_that_were_not_logged_are_of_one_rank) {
  const std::string text = "n:1:1 [2] NCCL INFO comm 0xa rank 1 nranks 2 cudaDev 2 busId 1000 - Init COMPLETE\n" +
                           call_line("n:1:1 [2] NCCL INFO", "AllReduce", 0, 100, 0, 2) +
                           call_line("n:1:9 [0] NCCL INFO", "AllReduce", 0, 200, 0, 2, "0xb");
  EXPECT_THAT(elements(only(import_text("log", text))), ElementsAre(100, 200));
}

TEST(NcclLogs, without_the_communicators_do_not_tell_the_rank) {
  const auto before = "n:1:1 [0] NCCL INFO";
  // Rank 2's neighbours, and rank 0's.
  const auto ring =
      only(import_text("log", call_line(before, "Send", 1, 8, 3, 4) + call_line(before, "Recv", 1, 8, 1, 4)));
  EXPECT_EQ(ring.calls.at(0).collective, Collective::send_recv);
  EXPECT_EQ(ring.communicators.at(0).rank, -1);
  std::vector<std::string> notes;
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("n.log")) << call_line(before, "AllReduce", 1, 8, 0, 8)
                                      << call_line(before, "AllGather", 1, 8, 0, 4, "0xb");
  const auto trace = import_step({folder.file("n.log")}, {}, notes);
  EXPECT_EQ(trace.groups.size(), 2U);
  EXPECT_THAT(notes, testing::Contains(HasSubstr("assumed to have neighbouring ranks")));
}

TEST(NcclLogs, may_lack_processes_or_have_a_rank_before_the_call) {
  EXPECT_THAT(elements(only(import_text("log", call_line("[0] NCCL INFO", "AllReduce", 2, 10, 0, 8)))),
              ElementsAre(10));
  const auto all = import_text("log", call_line("a:1:1 [0] NCCL INFO [0]", "AllReduce", 0, 10, 0, 2) +
                                          call_line("a:2:2 [1] NCCL INFO [1]", "AllReduce", 0, 10, 0, 2));
  EXPECT_EQ(all.size(), 2U);
  EXPECT_TRUE(all.front().second.not_understood.empty());
}

TEST(NcclLogs, may_be_coloured_or_stand_there_twice) {
  std::string text, coloured;
  for (const int op_count : {0, 1}) {
    const auto line = call_line("a:1:1 [0] NCCL INFO", "AllReduce", op_count, 10 + op_count, 0, 2);
    text += line + line;
    coloured += "\x1b[32m" + line.substr(0, 19) + "\x1b[0m" + line.substr(19);
  }
  EXPECT_THAT(elements(only(import_text("log", text))), ElementsAre(10, 11));
  EXPECT_THAT(elements(only(import_text("log", coloured))), ElementsAre(10, 11));
}

TEST(NcclLogs, tell_lines_that_are_cut_off_from_those_in_another_form) {
  const auto line = call_line("n:1:1 [0] NCCL INFO", "AllReduce", 0, 10, 0, 2);
  const auto imported =
      only(import_text("log", line + "n:1:1 [0] NCCL INFO FooReduce: opCount 0 comm 0xa stream 0x3\n" +
                                  line.substr(0, line.size() - 9)));
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("call in an unknown form", 1), Pair("truncated line", 1)));
}

TEST(NcclLogs, may_have_a_launchers_prefixes) {
  const std::string text =
      "[1,0]<stdout>:n:1:1 NCCL CALL ncclCommInitRank(0xa, 2, 0x1879, 0, 0)\n"
      "[1,0]<stdout>:n:1:1 NCCL CALL ncclAllReduce(1,2,100,7,0,0,0xa,0x1)\n"
      "1: m:1:1 NCCL CALL ncclCommInitRank(0xa, 2, 0x1879, 1, 0)\r\n"
      "1: m:1:1 NCCL CALL ncclAllReduce(1,2,100,7,0,0,0xa,0x1)\r\n";
  const auto all = import_text("log", text);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0].first, HasSubstr("(n:1)"));
  EXPECT_THAT(all[1].first, HasSubstr("(m:1)"));
}

TEST(NcclLogs, of_calls_have_splits_and_no_simulated_groups) {
  const auto imported = only(import_text("log",
                                         "n:1:1 NCCL CALL ncclCommInitRank(0xa, 4, 0x1879, 2, 2)\n"
                                         "n:1:1 NCCL CALL ncclCommSplit(0xa, 1, 0, 0xb, 0, 2)\n"
                                         "n:1:1 NCCL CALL ncclGroupStart()\n"
                                         "n:1:1 NCCL CALL ncclAllReduce(1,2,999,7,0,0,0xa,(nil))\n"
                                         "n:1:1 NCCL CALL ncclGroupSimulateEnd()\n"
                                         "n:1:1 NCCL CALL ncclGroupStart()\n"
                                         "n:1:1 NCCL CALL ncclAllGather(1,2,100,7,0,0,0xb,(nil))\n"
                                         "n:1:1 NCCL CALL ncclGroupEnd()\n"));
  EXPECT_THAT(elements(imported), ElementsAre(200)) << "of the split's two ranks";
  EXPECT_EQ(imported.communicators.at(1).rank, 0);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("simulated group", 1)));
}

TEST(Captures, leave_out_refused_calls_and_simulated_groups) {
  const std::string call = R"({"t":3,"f":"AllReduce","n":8,"dt":7,"op":2,"root":0,"comm":1,"s":0,"us":1)";
  const auto imported =
      only(import_text("x.json", captured(0, 0,
                                          call + ",\"error\":4}\n" + R"({"t":4,"group":"start"})" + "\n" + call +
                                              "}\n" + R"({"t":5,"group":"simulated"})" + "\n" + call + "}\n")));
  EXPECT_EQ(imported.calls.size(), 1U);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("call that NCCL refused", 1), Pair("simulated group", 1)));
}

TEST(NcclLogs, take_scaled_sums_for_sums) {
  const auto imported = only(import_text("log",
                                         "n:1:1 NCCL CALL ncclCommInitRank(0xa, 2, 0x1879, 0, 0)\n"
                                         "n:1:1 NCCL CALL ncclReduceScatter(1,2,100,7,5,0,0xa,0x1)\n"
                                         "n:1:1 NCCL CALL ncclAllReduce(1,2,100,7,1073741829,0,0xa,0x1)\n"
                                         "n:1:1 NCCL CALL ncclAllReduce(1,2,100,7,4,0,0xa,0x1)\n"));
  ASSERT_EQ(imported.calls.size(), 3U);
  EXPECT_EQ(imported.calls[0].op, ReduceOp::sum);
  EXPECT_EQ(imported.calls[1].op, ReduceOp::sum);
  EXPECT_EQ(imported.calls[2].op, ReduceOp::avg);
  EXPECT_THAT(imported.remarks, testing::Contains(HasSubstr("2 calls with a custom reduction")));
}

TEST(NcclLogs, counts_what_is_cut_off_or_cannot_be) {
  const auto all = import_text("log",
                               "n:1:1 NCCL CALL ncclCommInitRank(0xa, 2, 0x1879, 0, 0)\n"
                               "n:1:1 NCCL CALL ncclAllReduce(1,2,100,7,0,0,0xa,0x1)\n"
                               "n:1:1 NCCL CALL ncclAllReduce(7f00,7f1\n"
                               "n:1:1 NCCL CALL ncclAllReduce(1,2,9223372036854775808,7,0,0,0xa,0x1)\n"
                               "n:1:1 NCCL CALL ncclCommInitRank(0xb, 2, 0x18\n"
                               "n:1:1 [0] NCCL INFO ncclCommInitRank comm 0xb rank 0 nranks 2 - Init START\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].second.calls.size(), 1U);
  EXPECT_EQ(all[0].second.not_understood.at("truncated line"), 2);
  EXPECT_EQ(all[0].second.not_understood.at("call with impossible numbers"), 1);
}

TEST(Captures, that_end_within_a_group_leave_it_out) {
  const std::string group = R"({"t":5,"group":"start"}
{"t":6,"f":"Send","n":8,"dt":7,"op":0,"root":1,"comm":1,"s":0,"us":1}
)";
  const auto imported = only(import_text("c", captured(0, 0, in_group + group)));
  EXPECT_EQ(imported.calls.size(), 1U);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("group whose end was not recorded", 1)));
}

TEST(Captures, tell_who_is_in_a_communicator_before_or_behind_its_calls) {
  const std::string call = R"({"t":2,"us":1,"f":"AllGather","n":100,"dt":7,"op":0,"root":0,"comm":0})"
                           "\n";
  const auto all = import_text("capture", R"({"schema":"capture/1"})"
                                          "\n" +
                                              call + R"({"t":3,"comm":0,"rank":1,"ranks":4,"id":"0"})" + "\n" + call);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(elements(all[0].second), ElementsAre(400, 400));
  EXPECT_EQ(all[0].second.communicators.size(), 1U);
}

TEST(Captures, of_one_process_with_several_ranks_is_one_of_several) {
  std::string text = R"({"schema":"capture/1"})"
                     "\n";
  for (const int rank : {0, 1})
    text += fmt::format(R"({{"t":1,"comm":{0},"rank":{0},"ranks":2,"id":"a1"}})"
                        "\n",
                        rank);
  for (const int rank : {0, 1})
    text += fmt::format(R"({{"t":2,"us":1,"f":"AllReduce","n":100,"dt":7,"op":0,"root":0,"comm":{}}})"
                        "\n",
                        rank);
  const auto all = import_text("capture", text);
  ASSERT_EQ(all.size(), 2U);
  for (const auto& [name, imported] : all) EXPECT_EQ(imported.calls.size(), 1U) << name;
}

}  // namespace
}  // namespace ringmark::replay
