// Traces that PyTorch recorded of two ranks over Gloo; tests/replay/files/record_pytorch_traces.py records them again.

#include <fstream>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

nlohmann::json recorded_with(const std::string& version) {
  return testing_support::recorded_json("pytorch-" + version);
}

struct ImportedTrace {
  std::vector<std::string> calls;  ///< "broadcast 9 float32 1"
  std::vector<Phase> phases;
  std::vector<std::string> notes;
  int ranks;
};

/// Both ranks' recordings as one trace.
ImportedTrace imported(const nlohmann::json& traces) {
  const testing_support::ResultFolder folder;
  std::vector<std::string> files;
  for (const auto& trace : traces) {
    files.push_back(folder.file(std::to_string(files.size())));
    std::ofstream(files.back()) << trace;
  }
  ImportedTrace result;
  const auto trace = import_step(files, {}, result.notes);
  result.ranks = trace.ranks;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective) continue;
    result.calls.push_back(fmt::format("{} {} {}", name(event.collective), event.elements, name(event.type)));
    if (is_rooted(event.collective)) result.calls.back() += fmt::format(" {}", event.root);
    result.phases.push_back(event.phase);
  }
  return result;
}

class PyTorchRecordings : public testing::TestWithParam<const char*> {};

// The script's rank 0 sends 8 elements in parts of 3 and 5, rank 1 sends 6.
TEST_P(PyTorchRecordings, have_each_call_with_its_size_type_and_root) {
  const std::string version = GetParam();
  const auto all = recorded_with(version).at("calls");
  for (const auto* kind : {"kineto", "et"}) {
    const bool has_roots = std::string(kind) == "et" || version != "2.0.1";
    const auto root = has_roots ? "1" : "0";
    const auto trace = imported(all.at(kind));
    EXPECT_EQ(trace.ranks, 2) << kind;
    EXPECT_THAT(trace.calls, ElementsAre("all_reduce 12 float32", "all_reduce 7 float64",
                                         fmt::format("broadcast 9 float32 {}", root),
                                         fmt::format("reduce 11 float32 {}", root), "all_gather 10 float16",
                                         "all_to_all 8 float32", "all_to_all 8 float32", "all_to_all 80 float32"))
        << kind;
    EXPECT_THAT(trace.notes, Contains(HasSubstr("2 all_to_alls have parts of different sizes"))) << kind;
    EXPECT_EQ(!has_roots, testing::Value(trace.notes, Contains(HasSubstr("root of 4 calls")))) << kind;
  }
}

TEST_P(PyTorchRecordings, of_ddp_have_its_buckets) {
  const auto all = recorded_with(GetParam()).at("ddp");
  const auto profiled = imported(all.at("kineto"));
  EXPECT_THAT(profiled.calls, ElementsAre("all_reduce 306005 float32", "all_reduce 19500 float32"));
  // PyTorch 2.9 lost the size of rank 0's last call.
  const bool is_whole = std::string(GetParam()) != "2.9.1";
  EXPECT_THAT(profiled.notes, Contains(HasSubstr(is_whole ? "2 steps of the same 2 calls" : "a call whose size is")));
  // The step before, in which DDP rebuilds its buckets, ends with two broadcasts that this step begins with.
  const auto observed = imported(all.at("et"));
  EXPECT_THAT(observed.calls, ElementsAre("broadcast 7 int32 0", "broadcast 2 int32 0", "all_reduce 306005 float32",
                                          "all_reduce 19500 float32"));
  EXPECT_EQ(observed.phases.back(), Phase::backward);
}

// Gloo reduces and scatters by an all_reduce, but FSDP asks for a reduce_scatter.
TEST_P(PyTorchRecordings, of_fsdp_have_its_gathers_and_scatters) {
  const auto all = recorded_with(GetParam());
  if (!all.contains("fsdp")) GTEST_SKIP() << "PyTorch " << GetParam() << " runs FSDP on GPUs alone";
  for (const auto* kind : {"kineto", "et"}) {
    EXPECT_THAT(
        imported(all.at("fsdp").at(kind)).calls,
        ElementsAre("all_gather 19500 float32", "all_gather 301000 float32", "all_gather 5006 float32",
                    "all_gather 5006 float32", "all_gather 301000 float32", "reduce_scatter 5006 float32",
                    "all_gather 19500 float32", "reduce_scatter 301000 float32", "reduce_scatter 19500 float32"))
        << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(OfVersion, PyTorchRecordings, testing::Values("2.0.1", "2.1.2", "2.6.0", "2.9.1"),
                         [](const auto& version) {
                           std::string text = version.param;
                           std::replace(text.begin(), text.end(), '.', '_');
                           return text;
                         });

}  // namespace
}  // namespace ringmark::replay
