#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/import/import.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;

std::string file(const char* name) {
  std::ifstream in(std::string(RINGMARK_REPLAY_FILES) + "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Part of a real one, of PyTorch 1.13's DDP on the model of recorded_steps.json.
TEST(ExecutionTraces, have_each_call_once) {
  const auto imported = only(import_text("et.json", file("pytorch-1.13-ddp.et.json")));
  EXPECT_EQ(imported.format, "PyTorch execution trace 1.0.1");
  EXPECT_THAT(elements(imported),
              ElementsAre(432384, 352256, 262400, 352512, 307456, 307456, 352256, 262400, 352512, 307456, 387328));
  for (const auto& call : imported.calls) {
    EXPECT_EQ(call.collective, Collective::all_reduce);
    EXPECT_EQ(call.type, DataType::float32);
    EXPECT_EQ(call.phase, Phase::backward);
  }
  EXPECT_TRUE(imported.not_understood.empty());
}

/// As PyTorch writes it from 2.4 on: written here by hand after its ExecutionTraceObserver, for want of a recording.
std::string with_attributes(int rank) {
  const auto record = [](int id, int parent, const std::string& name, const std::string& attributes, int rank_or_root) {
    return fmt::format(
        R"({{"id": {}, "ctrl_deps": {}, "name": "record_param_comms", "inputs": {{"values": [[], 1, ["0", ""], {}, "{}"], "types": []}},
            "attrs": [{{"name": "collective_name", "type": "string", "value": "{}"}}, {}]}})",
        id, parent, rank_or_root, name, name, attributes);
  };
  const auto attributes = [](const char* type, int in, int out, const char* group, int start, int stride, int size) {
    return fmt::format(
        R"({{"name": "dtype", "value": "{}"}}, {{"name": "in_msg_nelems", "value": {}}}, {{"name": "out_msg_nelems", "value": {}}},
           {{"name": "pg_name", "value": "{}"}}, {{"name": "global_rank_start", "value": {}}},
           {{"name": "global_rank_stride", "value": {}}}, {{"name": "pg_size", "value": {}}})",
        type, in, out, group, start, stride, size);
  };
  const std::string groups =
      R"([{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"ranks\": [], \"group_size\": 4}, )" +
      fmt::format(R"({{\"pg_name\": \"7\", \"pg_desc\": \"dp\", \"ranks\": [{}, {}], \"group_size\": 2}}])", rank % 2,
                  rank % 2 + 2);
  return R"({"schema": "1.1.0-chakra.0.0.4", "nodes": [{"id": 1, "ctrl_deps": 1, "name": "[pytorch|profiler|execution_trace|process]"},
    {"id": 2, "ctrl_deps": 1, "name": "## process_group:init ##", "inputs": {"values": [")" +
         groups + R"("], "types": ["String"]}},
    {"id": 3, "ctrl_deps": 1, "name": "c10d::broadcast_", "inputs": {"values": [[], "<Object>", 2], "types": ["GenericList[Tensor(float)]"]}}, )" +
         record(4, 3, "broadcast", attributes("Float", 100, 100, "0", 0, 1, 4), 2) + ", " +
         record(5, 1, "_allgather_base", attributes("BFloat16", 32, 64, "7", -1, -1, 2), rank / 2) + ", " +
         record(6, 1, "reduce_scatter", attributes("BFloat16", 64, 32, "9", rank / 2 * 2, 1, 2), rank % 2) + ", " +
         record(8, 1, "wait", R"({"name": "pg_name", "value": "0"})", rank) + "]}";
}

TEST(ExecutionTraces, with_attributes_tell_groups_roots_and_ranks) {
  const testing_support::ResultFolder folder;
  std::vector<std::string> files, notes;
  for (const int rank : {1, 2}) {
    files.push_back(folder.file(std::to_string(rank)));
    std::ofstream(files.back()) << with_attributes(rank);
  }
  const auto trace = import_step(files, {}, notes);
  EXPECT_TRUE(notes.empty()) << notes.front();
  EXPECT_EQ(trace.ranks, 4);
  std::vector<const Event*> calls;
  for (const auto& event : trace.events) {
    if (event.kind == EventKind::collective) calls.push_back(&event);
  }
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0]->collective, Collective::broadcast);
  EXPECT_EQ(calls[0]->elements, 100U);
  EXPECT_EQ(calls[0]->root, 2);
  EXPECT_EQ(trace.group_of(*calls[0]).kind, Group::Kind::world);
  EXPECT_EQ(calls[1]->elements, 64U);
  EXPECT_EQ(calls[1]->type, DataType::bfloat16);
  EXPECT_EQ(trace.group_of(*calls[1]), (Group{"stride2", Group::Kind::stride, 2})) << "by the list of its ranks";
  EXPECT_EQ(calls[2]->elements, 64U);
  EXPECT_EQ(trace.group_of(*calls[2]), (Group{"block2", Group::Kind::block, 2})) << "by its first rank";
}

}  // namespace
}  // namespace ringmark::replay
