#include "replay/import/import.hpp"

#include <fstream>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/import/formats.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ParamTraces, may_have_groups) {
  std::vector<std::string> notes;
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("p.json")) << R"([
    {"comms": "init", "pg_id": 0, "global_ranks": [0, 1, 2, 3], "world_size": 4},
    {"comms": "init", "pg_id": 1, "global_ranks": [1, 3], "world_size": 2},
    {"comms": "all_reduce", "pg_id": 0, "in_msg_size": 8, "out_msg_size": 8, "dtype": "float", "world_size": 4},
    {"comms": "all_reduce", "pg_id": 1, "in_msg_size": 6, "out_msg_size": 6, "dtype": "float", "world_size": 2}])";
  const auto trace = import_step({folder.file("p.json")}, {}, notes);
  EXPECT_EQ(trace.ranks, 4);
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.group_of(trace.events[0]).kind, Group::Kind::world);
  EXPECT_EQ(trace.group_of(trace.events[1]), (Group{"stride2", Group::Kind::stride, 2}));
}

TEST(ParamTraces, of_calls_within_a_group_alone_know_the_others) {
  std::vector<std::string> notes;
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("p.json")) << R"([
    {"comms": "init", "pg_id": 0, "global_ranks": [0, 1, 2, 3], "world_size": 4},
    {"comms": "init", "pg_id": 1, "global_ranks": [1, 3], "world_size": 2}, {"comms": "init", "pg_id": 2},
    {"comms": "all_reduce", "pg_id": 1, "in_msg_size": 6, "out_msg_size": 6, "dtype": "float", "world_size": 2},
    {"comms": "all_reduce", "pg_id": 2, "in_msg_size": 8, "out_msg_size": 8, "dtype": "float"}])";
  const auto trace = import_step({folder.file("p.json")}, {}, notes);
  EXPECT_EQ(trace.ranks, 4);
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.group_of(trace.events[0]), (Group{"stride2", Group::Kind::stride, 2}));
  EXPECT_EQ(trace.group_of(trace.events[1]).kind, Group::Kind::world) << "nothing is known of that group";
}

TEST(ParamTraces, are_lists) {
  const auto imported = only(import_text("p.json", R"([
    {"comms": "init"}, {"comms": "all_reduce", "in_msg_size": 1024, "out_msg_size": 1024, "dtype": "Float", "req": 1},
    {"comms": "wait", "req": 1}, {"comms": "all_to_allv", "in_msg_size": 64, "out_msg_size": 64, "dtype": "Int", "world_size": 4},
    {"comms": "reduce_scatter", "in_msg_size": 4096, "out_msg_size": 1024, "dtype": "Half"}, {"compute": "gemm"}])"));
  EXPECT_EQ(imported.ranks, 4);
  ASSERT_EQ(imported.calls.size(), 3U);
  EXPECT_TRUE(imported.calls[0].is_async);
  EXPECT_EQ(imported.calls[1].collective, Collective::all_to_all);
  EXPECT_EQ(imported.calls[2].elements, 4096U);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("gemm", 1)));
}

TEST(AllToAll, of_uneven_parts_is_told) {
  std::vector<std::string> notes;
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("p.json")) << R"([
    {"comms": "all_to_allv", "in_msg_size": 8, "out_msg_size": 8, "in_split": [4, 4], "dtype": "Int", "world_size": 2},
    {"comms": "all_to_allv", "in_msg_size": 8, "out_msg_size": 8, "in_split": [2, 6], "dtype": "Int", "world_size": 2},
    {"comms": "all_to_allv", "in_msg_size": 8, "out_msg_size": 4, "in_split": [], "dtype": "Int", "world_size": 2}])";
  const auto trace = import_step({folder.file("p.json")}, {}, notes);
  ASSERT_EQ(trace.events.size(), 3U);
  EXPECT_TRUE(trace.events[0].counts.empty());
  EXPECT_EQ(trace.events[1].counts, (std::vector<std::uint64_t>{2, 6}));  // which both ranks send
  EXPECT_TRUE(trace.events[2].counts.empty());                            // unknown
  EXPECT_EQ(operation_of(trace.events[1], 2).counts->sent(1, 1), (Extent{2, 6}));
  EXPECT_FALSE(operation_of(trace.events[1], 4).counts) << "of another number of ranks";
  EXPECT_THAT(notes, testing::Contains(HasSubstr("2 all_to_all")));
  const auto of_parts = [](const char* split) {
    return only(import_text("k.json",
                            fmt::format(R"({{"traceEvents": [{{"ph": "X", "cat": "cpu_op", "name": "n", "ts": 1,
      "dur": 1, "args": {{"Collective name": "all_to_allv", "dtype": "Float", "In msg nelems": 8, "Out msg nelems": 8,
      "In split size": "{}", "Group size": 2}}}}]}})",
                                        split)))
        .calls.at(0)
        .is_uneven;
  };
  EXPECT_FALSE(of_parts("[4, 4]"));
  EXPECT_TRUE(of_parts("[3, 5]"));
}

TEST(AllToAll, of_all_ranks_keeps_every_ranks_counts) {
  std::vector<std::string> notes;
  const testing_support::ResultFolder folder;
  for (const auto& [name, split] : {std::pair("0.json", "[2, 6]"), std::pair("1.json", "[4, 0]")})
    std::ofstream(folder.file(name)) << fmt::format(
        R"([{{"comms": "all_to_allv", "in_msg_size": {}, "out_msg_size": 6, "in_split": {}, "dtype": "Int", "world_size": 2}}])",
        split[1] == '2' ? 8 : 4, split);
  const auto trace = import_step({folder.file("0.json"), folder.file("1.json")}, {}, notes);
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].counts, (std::vector<std::uint64_t>{2, 6, 4, 0}));
  EXPECT_EQ(trace.events[0].elements, 8U);
  EXPECT_EQ(operation_of(trace.events[0], 2).counts->sent(1, 0), (Extent{0, 4}));
  EXPECT_FALSE(operation_of(trace.events[0], 4).counts) << "four counts of two ranks are no row of four";
}

/// A rank's recording of an all_to_all of two ranks.
std::string all_to_all_in(const std::string& format, int rank, int sent, const std::string& splits) {
  if (format == "et")
    return fmt::format(R"json({{"schema": "1.0.1", "nodes": [{{"id": 2, "parent": 2, "name": "c10d::alltoall_base_",
        "inputs": [[9, 9, 0, 4, 4, "cpu"], [8, 8, 0, {}, 4, "cpu"], "<Object>", [2, 2], {}],
        "input_types": ["Tensor(float)"]}}]}})json",
                       sent, splits);
  if (format == "kineto")
    return fmt::format(R"json({{"traceEvents": [{{"ph": "X", "cat": "cpu_op", "name": "n", "ts": 1, "dur": 1, "args": {{
        "Collective name": "all_to_allv", "dtype": "Float", "In msg nelems": {}, "Out msg nelems": 4,
        "In split size": "{}", "Group size": 2, "Rank": {}}}}}]}})json",
                       sent, splits, rank);
  if (format == "kineto-kernel")
    return fmt::format(R"json({{"distributedInfo": {{"rank": {}, "world_size": 2}}, "traceEvents": [{{"ph": "X",
        "cat": "kernel", "name": "ncclDevKernel_SendRecv", "ts": 1, "dur": 1, "args": {{
        "Collective name": "all_to_allv", "dtype": "Float", "In msg nelems": {}, "Out msg nelems": 4,
        "In split size": "{}", "Group size": 2, "Process Group Ranks": "[0, 1]"}}}}]}})json",
                       rank, sent, splits);
  return fmt::format(R"json([{{"comms": "all_to_allv", "in_msg_size": {}, "out_msg_size": 4, "in_split": {},
        "dtype": "Float", "world_size": 2}}])json",
                     sent, splits);
}

TEST(AllToAll, of_a_rank_that_sends_nothing_keeps_its_row) {
  const testing_support::ResultFolder folder;
  for (const std::string format : {"et", "kineto", "kineto-kernel", "param"}) {
    std::vector<std::string> notes;
    const std::vector<std::string> files{folder.file(format + "-0"), folder.file(format + "-1")};
    std::ofstream(files[0]) << all_to_all_in(format, 0, 8, "[2, 6]");
    std::ofstream(files[1]) << all_to_all_in(format, 1, 0, "[0, 0]");
    const auto trace = import_step(files, {}, notes);
    ASSERT_FALSE(trace.events.empty()) << format;
    EXPECT_EQ(trace.events[0].counts, (std::vector<std::uint64_t>{2, 6, 0, 0})) << format;
    EXPECT_EQ(trace.events[0].elements, 8U) << format;
    EXPECT_THROW(import_step({files[1]}, {2, {}}, notes), BadUsage) << "of that rank alone nothing is left";
  }
}

TEST(Import, counts_records_with_fields_of_other_kinds_and_takes_the_others) {
  const auto param = only(import_text("p.json", R"([{"comms": 7}, 3, {"comms": "all_reduce", "dtype": null},
      {"comms": "all_reduce", "dtype": "Float", "in_msg_size": -1},
      {"comms": "all_reduce", "dtype": "Float", "in_msg_size": 8, "out_msg_size": 8, "world_size": 2}])"));
  EXPECT_EQ(param.calls.size(), 1U);
  EXPECT_THAT(param.not_understood,
              ElementsAre(Pair("all_reduce of nothing", 1), Pair("record with a field of the wrong type", 3)));
  const auto profiled = only(import_text("k.json", R"({"traceEvents": [{"ph": "X", "ts": "now"}, {"ph": 1},
      {"ph": "X", "ts": 1, "dur": 1, "args": {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 8,
       "Out msg nelems": 8, "Group size": 2}}]})"));
  EXPECT_EQ(profiled.calls.size(), 1U);
  EXPECT_THAT(profiled.not_understood, ElementsAre(Pair("record with a field of the wrong type", 2)));
}

TEST(Import, tells_a_type_that_is_unknown_from_a_collective_that_is) {
  const auto param = only(import_text("p.json", R"([{"comms": "all_reduce", "dtype": "Quaternion"},
      {"comms": "all_reduce"}, {"comms": "hypercube", "dtype": "Float"}, {"compute": "gemm"},
      {"comms": "all_reduce", "dtype": "Float", "in_msg_size": 8, "out_msg_size": 8, "world_size": 2}])"));
  EXPECT_THAT(param.not_understood,
              ElementsAre(Pair("all_reduce of dtype Quaternion", 1), Pair("all_reduce without dtype", 1),
                          Pair("gemm", 1), Pair("hypercube", 1)));
}

TEST(Import, of_nothing_that_is_understood_says_what_there_was) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      import_text("x", text);
    } catch (const BadUsage& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(R"([{"comms": "send"}, {"comms": "send"}])"), HasSubstr("2 of 'send'"));
  EXPECT_THAT(
      refusal("n:1:9 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 8 datatype 99 op 0 root 0 "
              "comm 0xa [nranks=2] stream 0x3\n"),
      HasSubstr("NCCL's type 99"));
}

TEST(ParamTraces, have_roots_by_their_number_among_all_ranks) {
  const auto imported = only(import_text("p.json", R"([
      {"comms": "init", "pg_id": 1, "global_ranks": [4, 5, 6, 7], "world_size": 4},
      {"comms": "broadcast", "dtype": "Float", "in_msg_size": 8, "out_msg_size": 8, "pg_id": 1, "root": 5}])"));
  EXPECT_EQ(imported.calls.at(0).root, 1);
}

TEST(Import, refuses_what_it_does_not_know) {
  EXPECT_THAT(refusal("{\"nodes\": [{\"na"), HasSubstr("ends unexpectedly"));
  EXPECT_THAT(refusal("{}"), HasSubstr("neither"));
  EXPECT_THAT(refusal("# a page"), HasSubstr("neither"));
  EXPECT_THAT(refusal("{\"schema\":\"steptrace/1\"}\n{\"i\":0}\n"), HasSubstr("already"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no known collective"));
  EXPECT_THAT(refusal(R"([{"file": "a.json.gz", "batch_size": 32}, [-1, 37888]])"), HasSubstr("neither"));
  EXPECT_THAT(refusal("{\"nodes\": [{\"name\": 3}]}"), HasSubstr("x.json: "));
  EXPECT_THAT(refusal("{\"nodes\": 3}"), HasSubstr("x.json: "));
  EXPECT_THAT(refusal("\xFD"
                      "7zXZ"),
              HasSubstr("xz -dk"));
  EXPECT_THAT(refusal("[{\"comms\": 7}]"), HasSubstr("x.json: "));
  const auto param = [](const std::string& fields) {
    return refusal(R"([{"comms": "all_gather", "dtype": "Float", "out_msg_size": 8, )" + fields + "}]");
  };
  EXPECT_THAT(param(R"("world_size": 0)"), HasSubstr("ranks: 0"));
  EXPECT_THAT(param(R"("world_size": -2)"), HasSubstr("ranks: -2"));
  EXPECT_THAT(param(R"("root": -5)"), HasSubstr("root: -5"));
  EXPECT_THAT(refusal(R"([{"comms": "all_reduce", "dtype": "Float", "in_msg_size": -4}])"),
              HasSubstr("1 of 'all_reduce of nothing'"));
  EXPECT_THAT(refusal(std::string(200'000, '[')), HasSubstr("nested"));
}

TEST(Import, names_a_format_that_it_does_not_read_and_what_to_do) {
  EXPECT_THAT(refusal("\x1F\x8B"), HasSubstr("gzip -dk"));
}

TEST(Import, checks_ranks_against_each_other) {
  const testing_support::ResultFolder folder;
  const auto write = [&](const char* name, const char* sizes) {
    std::ofstream(folder.file(name)) << fmt::format(
        R"([{{"comms": "all_reduce", "in_msg_size": {0}, "dtype": "Float"}}])", sizes);
  };
  write("a.json", "10");
  write("b.json", "10");
  write("c.json", "11");
  std::vector<std::string> notes;
  EXPECT_EQ(import_step({folder.file("a.json"), folder.file("b.json")}, {}, notes).ranks, 2);
  try {
    import_step({folder.file("a.json"), folder.file("c.json")}, {}, notes);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("call 0 differs"));
    EXPECT_THAT(error.what(), HasSubstr("all_reduce of 11 float32"));
  }
  EXPECT_THROW(import_step({folder.file("a.json")}, {}, notes), BadUsage);
}

TEST(Import, refuses_recordings_that_contradict_one_another) {
  const testing_support::ResultFolder folder;
  const auto written = [&](const char* name, int rank, int world, int group) {
    std::ofstream(folder.file(name)) << fmt::format(
        R"({{"distributedInfo": {{"rank": {}, "world_size": {}}}, "traceEvents": [{{"ph": "X", "cat": "kernel",
            "name": "nccl", "ts": 1, "dur": 1, "args": {{"Collective name": "allreduce", "dtype": "Float",
            "In msg nelems": 8, "Out msg nelems": 8, "Group size": {}}}}}]}})",
        rank, world, group);
    return folder.file(name);
  };
  const auto first = written("a.json", 0, 4, 4);
  std::vector<std::string> notes;
  EXPECT_EQ(import_step({first, written("b.json", 1, 4, 4)}, {}, notes).ranks, 4);
  EXPECT_THROW(import_step({first, written("c.json", 0, 4, 4)}, {}, notes), BadUsage);
  EXPECT_THROW(import_step({first, written("d.json", 1, 8, 4)}, {}, notes), BadUsage);
  EXPECT_THROW(import_step({written("e.json", 0, 4, 8)}, {}, notes), BadUsage);
}

TEST(Names, of_all_layers_are_one_thing) {
  for (const auto* text : {"allreduce", "c10d::allreduce_", "all_reduce", "AllReduce", "allreduce_coalesced"})
    EXPECT_EQ(collective_named(text), Collective::all_reduce) << text;
  for (const auto* text :
       {"_allgather_base", "all_gather_into_tensor", "allgather_into_tensor_coalesced", "c10d::_allgather_base_"})
    EXPECT_EQ(collective_named(text), Collective::all_gather) << text;
  for (const auto* text : {"reduce_scatter_tensor", "_reduce_scatter_base", "reduce_scatter"})
    EXPECT_EQ(collective_named(text), Collective::reduce_scatter) << text;
  for (const auto* text : {"all_to_allv", "alltoall_base", "all_to_all_single"})
    EXPECT_EQ(collective_named(text), Collective::all_to_all) << text;
  EXPECT_FALSE(collective_named("send"));
  EXPECT_EQ(type_named("GenericList[Tensor(c10::BFloat16)]"), DataType::bfloat16);
  EXPECT_EQ(type_named("Tensor(long int)"), DataType::int64);
  EXPECT_FALSE(type_named("Object"));
}

}  // namespace
}  // namespace ringmark::replay
