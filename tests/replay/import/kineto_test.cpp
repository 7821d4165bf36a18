#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr auto kineto = R"({"distributedInfo": {"world_size": 8}, "traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 100, "dur": 50},
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 120, "dur": 80},
  {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 90, "dur": 5,
   "args": {"Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 64, "Out msg nelems": 512, "Group size": 8}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather", "ts": 210, "dur": 40,
   "args": {"Collective name": "_allgather_base", "dtype": "BFloat16", "In msg nelems": 64, "Out msg nelems": 512, "Group size": 8}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 300, "dur": 10},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Broadcast", "ts": 315, "dur": 5,
   "args": {"Collective name": "broadcast", "dtype": "Float", "In msg nelems": 3, "Out msg nelems": 3, "Group size": 8, "Rank": 5}},
  {"ph": "X", "cat": "kernel", "name": "ncclSend", "ts": 320, "dur": 10, "args": {"Collective name": "send", "dtype": "Float"}}]})";

TEST(KinetoTraces, give_calls_and_the_computation_between) {
  const auto imported = only(import_text("k.json", kineto));
  EXPECT_EQ(imported.ranks, 8);
  ASSERT_EQ(imported.calls.size(), 2U);
  EXPECT_EQ(imported.calls[1].root, 5);
  EXPECT_EQ(imported.calls[0].collective, Collective::all_gather);
  EXPECT_EQ(imported.calls[0].elements, 512U);
  EXPECT_EQ(imported.calls[0].type, DataType::bfloat16);
  EXPECT_DOUBLE_EQ(imported.calls[0].computed_us, 100);  // 100 to 200, both kernels' union
  EXPECT_DOUBLE_EQ(imported.calls[1].computed_us, 10);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair("send", 1)));
}

TEST(KinetoTraces, count_collectives_of_other_libraries_and_take_them_for_no_computation) {
  const auto imported = only(import_text("k.json", R"json({"distributedInfo": {"world_size": 8}, "traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 100, "dur": 10},
  {"ph": "X", "cat": "kernel", "ts": 110, "dur": 50,
   "name": "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long)"},
  {"ph": "X", "cat": "kernel", "ts": 160, "dur": 30, "name": "void vllm::cross_device_reduce_1stage<float>(float*)"},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather", "ts": 210, "dur": 40,
   "args": {"Collective name": "allgather", "dtype": "Float", "In msg nelems": 64, "Out msg nelems": 512, "Group size": 8}}
  ]})json"));
  EXPECT_THAT(imported.not_understood,
              ElementsAre(Pair("cross_device_reduce_1stage", 1), Pair("multimem_all_reduce_kernel", 1)));
  ASSERT_EQ(imported.calls.size(), 1U);
  EXPECT_DOUBLE_EQ(imported.calls[0].computed_us, 10);
}

/// So many steps of a gather and a reduction, with an optimizer behind.
std::string several_steps(int steps, const char* last_elements) {
  std::string events;
  for (int step = 0; step < steps; ++step) {
    const auto kernel = [&](const char* name, int at, int took, const std::string& args) {
      return fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "{}", "ts": {}, "dur": {}, "args": {{{}}}}},)", name,
                         1000 * step + at, took, args);
    };
    const auto call = [&](const char* name, const char* elements) {
      return fmt::format(
          R"("Collective name": "{}", "dtype": "Float", "In msg nelems": {}, "Out msg nelems": {}, "Group size": 2)",
          name, elements, elements);
    };
    events += kernel("gemm", 0, 100, "") + kernel("ncclA", 110, 20, call("allreduce", "64")) +
              kernel("gemm", 140, 30, "") +
              kernel("ncclB", 180, 20, call("allreduce", step + 1 == steps ? last_elements : "32")) +
              kernel("gemm", 185, 10, "") + kernel("adam", 210, 40, "");
    events +=
        fmt::format(R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "ts": {}, "dur": 900}},)",
                    step + 5, 1000 * step);
  }
  events.pop_back();
  return fmt::format(R"({{"traceEvents": [{}]}})", events);
}

TEST(KinetoTraces, of_several_steps_give_the_last) {
  const auto imported = only(import_text("k.json", several_steps(3, "32")));
  ASSERT_EQ(imported.calls.size(), 2U);
  EXPECT_EQ(imported.calls[0].elements, 64U);
  EXPECT_DOUBLE_EQ(imported.calls[0].computed_us, 100) << "without the end of the step before";
  EXPECT_DOUBLE_EQ(imported.calls[1].computed_us, 30);
  EXPECT_DOUBLE_EQ(imported.computed_beside_us, 10);
  EXPECT_DOUBLE_EQ(imported.computed_after_us, 40);
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("3 steps of the same 2 ")));
  const auto uneven = only(import_text("k.json", several_steps(3, "31")));
  EXPECT_THAT(elements(uneven), ElementsAre(64, 31)) << "the last step's";
  EXPECT_THAT(uneven.remarks, ElementsAre(HasSubstr("3 steps with different calls")));
  const auto all = only(import_text("k.json", several_steps(3, "31"), {.ranks = {}, .steps = 1}));
  EXPECT_EQ(all.calls.size(), 6U);
  EXPECT_TRUE(only(import_text("k.json", several_steps(1, "32"))).remarks.empty());
}

TEST(KinetoTraces, end_where_the_gpus_last_step_ends) {
  auto text = several_steps(2, "32");
  const auto kernel = [](int at, const char* args) {
    return fmt::format(R"(, {{"ph": "X", "cat": "kernel", "name": "k", "ts": {}, "dur": 30, "args": {{{}}}}})", at,
                       args);
  };
  const std::string outside =
      kernel(1400, "") + kernel(1440, R"("Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1)");
  const auto marks = [](int step, int begin, int took) {
    return fmt::format(
        R"(, {{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#{}", "ts": {}, "dur": {}}})", step, begin,
        took);
  };
  text.resize(text.rfind(']'));
  const auto unmarked = only(import_text("k.json", text + outside + "]}"));
  EXPECT_EQ(unmarked.calls.size(), 3U) << "of the last step, as far as the host's marks show it";
  // One on each stream.
  const auto marked =
      only(import_text("k.json", text + outside + marks(5, 0, 250) + marks(6, 1000, 250) + marks(6, 1110, 90) + "]}"));
  EXPECT_EQ(marked.calls.size(), 2U);
  EXPECT_DOUBLE_EQ(marked.computed_after_us, 40);
  EXPECT_THAT(marked.remarks,
              ElementsAre(HasSubstr("outside of the marked steps: 1 collectives, 1 kernels"), HasSubstr("2 steps")));
}

/// As PyTorch 1.12 writes it with NCCL: sizes in the annotations alone, kernels that a thread launches within them, and
/// categories with capitals.
std::string annotated(const std::string& more = "") {
  const auto call = [](const char* name, int at, const char* dims) {
    return fmt::format(
        R"({{"ph": "X", "cat": "Operator", "name": "{}", "tid": 7, "ts": {}, "dur": 10, "args": {{"Input dims": {},
            "Input type": ["c10::Half"]}}}},)",
        name, at, dims);
  };
  const auto kernel = [](const char* name, int launched, int at, int correlation) {
    return fmt::format(
        R"({{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "tid": 7, "ts": {}, "dur": 2, "args": {{"correlation": {}}}}},
           {{"ph": "X", "cat": "Kernel", "name": "{}", "tid": 20, "ts": {}, "dur": 30, "args": {{"correlation": {}}}}},)",
        launched, correlation, name, at, correlation);
  };
  return R"({"distributedInfo": {"world_size": 4}, "traceEvents": [)" + more +
         call("nccl:all_reduce", 100, "[[8, 10], [6]]") + kernel("ncclKernel_AllReduce", 105, 1200, 1) +
         call("nccl:_all_gather_base", 200, "[[25]]") + kernel("ncclKernel_AllGather", 205, 1000, 2) +
         kernel("gemm", 300, 1040, 3) + call("nccl:all_to_all", 400, "[[40]]") +
         kernel("ncclKernel_SendRecv", 405, 1300, 4) + kernel("ncclKernel_SendRecv", 408, 1330, 5) + R"({"ph": "i"}]})";
}

TEST(KinetoTraces, may_have_sizes_in_annotations_alone) {
  const auto imported = only(import_text("k.json", annotated()));
  ASSERT_EQ(imported.calls.size(), 3U);
  EXPECT_EQ(imported.calls[0].collective, Collective::all_gather) << "whose kernel came first";
  EXPECT_THAT(elements(imported), ElementsAre(100, 86, 40)) << "of all ranks, of both tensors";
  EXPECT_EQ(imported.calls[1].type, DataType::float16);
  EXPECT_DOUBLE_EQ(imported.calls[1].computed_us, 30);
  EXPECT_TRUE(imported.not_understood.empty());
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("all ranks")));
}

TEST(KinetoTraces, calls_of_several_kernels_last_from_the_first_to_the_last) {
  const auto imported = only(import_text("k.json", annotated()));
  EXPECT_EQ(imported.calls.at(2).ran, (Ran{1300, 1360}));
}

TEST(KinetoTraces, kernels_and_annotations_without_the_other_are_counted) {
  const auto imported = only(import_text(
      "k.json",
      annotated(
          R"({"ph": "X", "cat": "Kernel", "name": "ncclKernel_AllReduce", "tid": 20, "ts": 1500, "dur": 30, "args": {"correlation": 9}},
             {"ph": "X", "cat": "Operator", "name": "nccl:all_reduce", "tid": 7, "ts": 600, "dur": 10,
              "args": {"Input dims": [[8]], "Input type": ["c10::Half"]}},)")));
  EXPECT_EQ(imported.calls.size(), 3U);
  EXPECT_THAT(imported.not_understood, ElementsAre(Pair(HasSubstr("whose call was not recorded"), 1),
                                                   Pair(HasSubstr("whose kernel was not recorded"), 1)));
}

TEST(KinetoTraces, kernels_without_sizes_are_counted) {
  const std::string kernels =
      R"json({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_A(ncclComm*)", "ts": 400, "dur": 40, "args": {}},
             {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_A(ncclComm*)", "ts": 500, "dur": 40, "args": {}})json";
  EXPECT_THAT(refusal(R"({"traceEvents": [)" + kernels + "]}"),
              AllOf(HasSubstr("2 of 'ncclDevKernel_A without sizes"), HasSubstr("record_shapes=True")));
  auto beside = std::string(kineto);
  beside.insert(beside.rfind(']'), "," + kernels);
  const auto imported = only(import_text("k.json", beside));
  EXPECT_EQ(imported.calls.size(), 2U);
  EXPECT_THAT(imported.not_understood,
              ElementsAre(Pair(HasSubstr("ncclDevKernel_A without sizes"), 2), Pair("send", 1)));
}

TEST(KinetoTraces, show_the_group_of_a_gather_by_its_sizes) {
  const auto trace = [](const char* world) {
    return std::string(R"({"distributedInfo": {"rank": 0)") + world + R"(}, "traceEvents": [
      {"ph": "X", "cat": "cpu_op", "name": "c10d::_allgather_base_", "tid": 1, "ts": 90, "dur": 40,
       "args": {"Input Dims": [[400], [100]], "Input type": ["float", "float"]}},
      {"ph": "X", "cat": "user_annotation", "name": "nccl:_all_gather_base", "tid": 1, "ts": 100, "dur": 10,
       "args": {"Input Dims": [[100]], "Input type": ["float"]}},
      {"ph": "X", "cat": "cpu_op", "name": "c10d::_reduce_scatter_base_", "tid": 1, "ts": 190, "dur": 40,
       "args": {"Input Dims": [[50], [400]], "Input type": ["float", "float"]}},
      {"ph": "X", "cat": "user_annotation", "name": "nccl:_reduce_scatter_base", "tid": 1, "ts": 200, "dur": 10,
       "args": {"Input Dims": [[400]], "Input type": ["float"]}}]})";
  };
  const auto imported = only(import_text("k.json", trace(R"(, "world_size": 8)")));
  EXPECT_THAT(elements(imported), ElementsAre(400, 400));
  ASSERT_EQ(imported.communicators.size(), 1U);
  EXPECT_EQ(imported.communicators[0].ranks, 4);
  EXPECT_EQ(imported.calls[0].communicator, 0);
  EXPECT_EQ(imported.calls[1].communicator, -1) << "8 blocks are those of all ranks";
  const auto unknown = only(import_text("k.json", trace(""), {.ranks = 8, .steps = {}}));
  EXPECT_TRUE(unknown.communicators.empty());
}

TEST(KinetoTraces, with_annotations_and_fields_are_read_once) {
  const auto imported = only(import_text(
      "k.json",
      annotated(
          R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 99, "dur": 12, "args": {"Collective name":
         "allreduce", "dtype": "Half", "In msg nelems": 86, "Out msg nelems": 86, "Group size": 4}},)")));
  EXPECT_EQ(imported.calls.size(), 1U);
  EXPECT_TRUE(imported.not_understood.empty());
}

TEST(KinetoTraces, without_sizes_name_the_profilers_option) {
  EXPECT_THAT(refusal(R"({"traceEvents": [{"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "ts": 1,
      "dur": 2, "args": {"External id": 1}}]})"),
              HasSubstr("record_shapes=True"));
}

TEST(KinetoTraces, with_a_ranks_share_need_the_number_of_ranks) {
  const std::string text = R"({"traceEvents": [{"ph": "X", "cat": "user_annotation", "name": "gloo:all_gather", "ts": 1,
      "dur": 2, "args": {"Input Dims": [[5]], "Input type": ["float"]}}]})";
  EXPECT_THAT(refusal(text), HasSubstr("--ranks"));
  EXPECT_THAT(elements(only(import_text("k.json", text, {.ranks = 3, .steps = {}}))), ElementsAre(15));
}

// The second call has a kernel beside it, the first none; the optimizer comes after both.
TEST(KinetoTraces, calls_beside_which_nothing_was_computed_were_waited_for) {
  const auto kernel = [](const char* name, double ts, double dur) {
    return fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "{}", "ts": {}, "dur": {}, "args": {{}}}})", name, ts,
                       dur);
  };
  const auto call = [](double ts, double dur) {
    return fmt::format(
        R"({{"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": {}, "dur": {}, "args": {{"Collective name": "allreduce",
            "dtype": "Float", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2}}}})",
        ts, dur);
  };
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("k.json")) << "{\"traceEvents\": [" << kernel("gemm", 0, 100) << "," << call(100, 20) << ","
                                       << kernel("gemm", 120, 80) << "," << call(150, 40) << ","
                                       << kernel("adam", 210, 30) << "]}";
  std::vector<std::string> notes;
  const auto trace = import_step({folder.file("k.json")}, {.ranks = 2, .steps = {}}, notes);
  std::vector<std::string> events;
  for (const auto& event : trace.events)
    events.push_back(event.kind == EventKind::collective ? (event.is_async ? "async" : "sync")
                     : event.kind == EventKind::wait     ? "wait"
                                                         : fmt::format("{}", event.time_us.value_or(0)));
  EXPECT_EQ(events, (std::vector<std::string>{"100", "sync", "30", "async", "40", "wait", "40"}));
}

/// A call on the GPU within a group, recorded by rank 0.
std::string call_in_group(const std::string& distributed, const std::string& fields) {
  return R"({"distributedInfo": {"rank": 0, )" + distributed + R"(}, "traceEvents": [
      {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 1, "dur": 1,
       "args": {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 8, "Out msg nelems": 8, )" +
         fields + "}}]}";
}

TEST(KinetoTraces, have_groups_in_their_head) {
  const auto imported = only(import_text(
      "k.json",
      call_in_group(
          R"("world_size": 4, "pg_config": [{"pg_name": "3", "pg_desc": "tp", "pg_size": 2, "ranks": [0, 2]}])",
          R"("Group size": 2, "Process Group Name": "3")")));
  ASSERT_EQ(imported.communicators.size(), 1U);
  EXPECT_THAT(imported.communicators[0].members, ElementsAre(0, 2));
  EXPECT_EQ(imported.communicators[0].rank, 0);
}

TEST(KinetoTraces, name_a_type_that_is_unknown) {
  const auto text = call_in_group(R"("world_size": 2)", R"("Group size": 2)");
  auto unknown = text;
  unknown.replace(unknown.find("Float"), 5, "ComplexFloat");
  EXPECT_THAT(refusal(unknown), HasSubstr("'allreduce of dtype ComplexFloat'"));
  auto truths = text;
  truths.replace(truths.find("Float"), 5, "Bool");
  EXPECT_EQ(only(import_text("k.json", truths)).calls.at(0).type, DataType::uint8);
}

}  // namespace
}  // namespace ringmark::replay
