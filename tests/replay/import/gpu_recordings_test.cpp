// Steps that PyTorch trained over NCCL on a GPU, recorded at once by libringmark-capture.so and by Kineto;
// tests/replay/files/record_gpu_steps.py records them again.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// The step by one of the recorders, from the files of all ranks.
AnyTrace any_recorded(const std::string& kind, const std::string& recorder, std::vector<std::string>& notes,
                      std::optional<int> steps = {}) {
  static const auto all = testing_support::recorded_json("gpu_steps");
  const testing_support::ResultFolder folder;
  std::vector<std::string> files;
  for (const auto& each : all.at(kind).at(recorder)) {
    files.push_back(folder.file(std::to_string(files.size())));
    std::ofstream(files.back()) << (each.is_string() ? each.get<std::string>() : each.dump());
  }
  return import_files(files, {{}, steps}, notes);
}

StepTrace recorded(const std::string& kind, const std::string& recorder, std::vector<std::string>& notes) {
  return std::get<StepTrace>(any_recorded(kind, recorder, notes));
}

std::vector<Event> collectives(const StepTrace& trace) {
  std::vector<Event> result;
  for (const auto& event : trace.events) {
    if (event.kind == EventKind::collective) result.push_back(event);
  }
  return result;
}

class GpuRecordings : public testing::TestWithParam<const char*> {};

TEST_P(GpuRecordings, are_the_same_step_by_both_recorders) {
  std::vector<std::string> notes;
  const auto captured = collectives(recorded(GetParam(), "captures", notes));
  const auto profiled = collectives(recorded(GetParam(), "kineto", notes));
  ASSERT_FALSE(captured.empty());
  ASSERT_EQ(captured.size(), profiled.size());
  for (std::size_t i = 0; i < captured.size(); ++i) {
    EXPECT_EQ(captured[i].collective, profiled[i].collective) << i;
    EXPECT_EQ(captured[i].elements, profiled[i].elements) << i;
    EXPECT_EQ(captured[i].type, profiled[i].type) << i;
    EXPECT_EQ(captured[i].counts, profiled[i].counts) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, GpuRecordings, testing::Values("ddp", "fsdp2", "experts"),
                         [](const auto& info) { return info.param; });

TEST(GpuRecordingsOf, fsdp2_begin_with_the_roots_gather) {
  std::vector<std::string> notes;
  const auto calls = collectives(recorded("fsdp2", "captures", notes));
  ASSERT_EQ(calls.size(), 14U);
  EXPECT_EQ(calls.front().collective, Collective::all_gather);
  EXPECT_EQ(calls.front().elements, 4198400U);
  EXPECT_EQ(calls.back().collective, Collective::reduce_scatter);
  EXPECT_EQ(calls.back().elements, 4198400U);
}

TEST(GpuRecordingsOf, experts_have_the_counts_of_all_ranks) {
  std::vector<std::string> notes;
  const auto trace = recorded("experts", "kineto", notes);
  EXPECT_EQ(trace.ranks, 4);
  EXPECT_THAT(notes, Contains(HasSubstr("16 with the counts of all ranks")));
}

TEST(GpuRecordingsOf, a_pipeline_have_a_message_each_way_for_each_micro_batch) {
  std::vector<std::string> notes;
  constexpr int steps = 6;
  for (const auto& any :
       {any_recorded("pipeline", "kineto", notes), any_recorded("pipeline", "captures", notes, steps)}) {
    const auto& trace = std::get<RoleTrace>(any);
    ASSERT_EQ(trace.roles.size(), 2U);
    for (int rank = 0; rank < 2; ++rank) {
      int sent = 0, received = 0;
      for (const auto& event : played_by(trace, trace.role_of(rank)).events) {
        sent += event.kind == EventKind::send ? 1 : 0;
        received += event.kind == EventKind::receive ? 1 : 0;
        if (!is_message(event)) continue;
        EXPECT_EQ(event.elements, 131072U);
        EXPECT_EQ(event.peer, rank == 0 ? 1 : -1);
      }
      EXPECT_EQ(sent, 4);
      EXPECT_EQ(received, 4);
    }
  }
}

}  // namespace
}  // namespace ringmark::replay
