#include "bench/replay/import/import.hpp"

#include <fstream>
#include <sstream>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/replay/import/formats.hpp"
#include "tests/programs/result_folder.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string file(const char* name) {
  std::ifstream in(std::string(RINGMARK_REPLAY_FILES) + "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::uint64_t> elements(const Imported& imported) {
  std::vector<std::uint64_t> result;
  for (const auto& call : imported.calls) result.push_back(call.elements);
  return result;
}

/// Part of a real one, of PyTorch 1.13's DDP on the model of recorded_steps.json.
TEST(ExecutionTraces, have_each_call_once) {
  const auto imported = import_text("et.json", file("pytorch-1.13-ddp.et.json"));
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

constexpr auto kineto = R"({"distributedInfo": {"world_size": 8}, "traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 100, "dur": 50},
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 120, "dur": 80},
  {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 90, "dur": 5,
   "args": {"Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 64, "Out msg nelems": 512, "Group size": 8}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather", "ts": 210, "dur": 40,
   "args": {"Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 64, "Out msg nelems": 512, "Group size": 8}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 300, "dur": 10},
  {"ph": "X", "cat": "kernel", "name": "ncclSend", "ts": 320, "dur": 10, "args": {"Collective name": "send", "dtype": "Float"}}]})";

TEST(KinetoTraces, give_calls_and_the_computation_between) {
  const auto imported = import_text("k.json", kineto);
  EXPECT_EQ(imported.ranks, 8);
  ASSERT_EQ(imported.calls.size(), 1U);
  EXPECT_EQ(imported.calls[0].collective, Collective::all_gather);
  EXPECT_EQ(imported.calls[0].elements, 512U);
  EXPECT_EQ(imported.calls[0].type, DataType::bfloat16);
  EXPECT_DOUBLE_EQ(imported.calls[0].computed_us, 100);  // 100 to 200, both kernels' union
  EXPECT_DOUBLE_EQ(imported.computed_after_us, 10);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("send", 1)));
}

TEST(ParamTraces, are_lists) {
  const auto imported = import_text("p.json", R"([
    {"comms": "init"}, {"comms": "all_reduce", "in_msg_size": 1024, "out_msg_size": 1024, "dtype": "Float", "req": 1},
    {"comms": "wait", "req": 1}, {"comms": "all_to_allv", "in_msg_size": 64, "out_msg_size": 64, "dtype": "Int", "world_size": 4},
    {"comms": "reduce_scatter", "in_msg_size": 4096, "out_msg_size": 1024, "dtype": "Half"}, {"compute": "gemm"}])");
  EXPECT_EQ(imported.ranks, 4);
  ASSERT_EQ(imported.calls.size(), 3U);
  EXPECT_TRUE(imported.calls[0].is_async);
  EXPECT_EQ(imported.calls[1].collective, Collective::all_to_all);
  EXPECT_EQ(imported.calls[2].elements, 4096U);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("gemm", 1)));
}

std::string refusal(const std::string& text) {
  try {
    import_text("x.json", text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(Import, refuses_what_it_does_not_know) {
  EXPECT_THAT(refusal("{\"nodes\": [{\"na"), HasSubstr("cut off"));
  EXPECT_THAT(refusal("{}"), HasSubstr("none of"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no collective"));
  EXPECT_THAT(refusal("{\"nodes\": [{\"name\": 3}]}"), HasSubstr("x.json: "));
  EXPECT_THAT(refusal("{\"nodes\": 3}"), HasSubstr("x.json: "));
  EXPECT_THAT(refusal("\xFD"
                      "7zXZ"),
              HasSubstr("xz -dk"));
  EXPECT_THAT(refusal("[{\"comms\": 7}]"), HasSubstr("x.json: "));
  const auto param = [](const std::string& fields) {
    return refusal(R"([{"comms": "all_gather", "dtype": "Float", "out_msg_size": 8, )" + fields + "}]");
  };
  EXPECT_THAT(param(R"("world_size": 0)"), HasSubstr("0 ranks"));
  EXPECT_THAT(param(R"("world_size": -2)"), HasSubstr("-2 ranks"));
  EXPECT_THAT(param(R"("root": -5)"), HasSubstr("root of -5"));
  EXPECT_THAT(refusal(R"([{"comms": "all_reduce", "dtype": "Float", "in_msg_size": -4}])"), HasSubstr("cannot be"));
  EXPECT_THAT(refusal(std::string(200'000, '[')), HasSubstr("nested"));
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
  EXPECT_EQ(import_files({folder.file("a.json"), folder.file("b.json")}, {}, notes).ranks, 2);
  try {
    import_files({folder.file("a.json"), folder.file("c.json")}, {}, notes);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("call 0 differs"));
    EXPECT_THAT(error.what(), HasSubstr("all_reduce of 11 float32"));
  }
  EXPECT_THROW(import_files({folder.file("a.json")}, {}, notes), BadUsage);
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
