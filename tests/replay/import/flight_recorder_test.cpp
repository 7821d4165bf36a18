// Dumps recorded with torch 2.15.0; see tests/analysis/job/record_flight_recorder.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "replay/import/formats.hpp"
#include "replay/import/import.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

const std::string dumps = RINGMARK_SOURCE_DIR "/tests/analysis/job/dumps/";

std::vector<std::string> ranks_of(const std::string& job, int ranks) {
  std::vector<std::string> files;
  for (int rank = 0; rank < ranks; ++rank) files.push_back(dumps + job + "/nccl_trace_rank_" + std::to_string(rank));
  return files;
}

TEST(FlightRecorderDumps, become_a_step_of_their_collectives) {
  std::vector<std::string> notes;
  // A step is an all_reduce and an all_gather of 4000 elements on all ranks.
  const auto trace = import_step(ranks_of("killed", 3), {.ranks = 4, .steps = 1}, notes);
  EXPECT_EQ(trace.ranks, 4);
  std::vector<std::pair<Collective, std::uint64_t>> calls;
  for (const auto& event : trace.events) {
    if (event.kind == EventKind::collective) calls.emplace_back(event.collective, event.elements);
  }
  ASSERT_EQ(calls.size(), 7U);
  EXPECT_EQ(calls[0], std::pair(Collective::all_reduce, std::uint64_t{1000}));
  EXPECT_EQ(calls[1], std::pair(Collective::all_gather, std::uint64_t{4000}));
  EXPECT_EQ(calls[6], calls[0]);
}

TEST(FlightRecorderDumps, of_nccl_have_groups_with_members) {
  const auto json = nlohmann::json::parse(R"({"version": "2.9",
    "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"},
                  "7": {"name": "7", "desc": "dp", "ranks": "[1, 3]"}},
    "entries": [{"process_group": ["7", "dp"], "profiling_name": "nccl:_reduce_scatter_base", "input_sizes": [[2, 3]],
                 "output_sizes": [[3]], "input_dtypes": ["BFloat16"]},
                {"process_group": ["0", "default_pg"], "profiling_name": "nccl:all_reduce_barrier", "input_sizes": [[1]],
                 "output_sizes": [[1]], "input_dtypes": ["Float"]},
                {"process_group": ["7", "dp"], "profiling_name": "nccl:recv 1<-0", "input_sizes": [[9]],
                 "output_sizes": [[9]], "input_dtypes": ["Float"], "output_dtypes": ["Float"]},
                {"process_group": ["7", "dp"], "profiling_name": "nccl:recv 1", "input_sizes": [[1]],
                 "output_sizes": [[1]], "input_dtypes": ["Float"], "output_dtypes": ["Float"]}]})");
  const auto imported = import_flight_recorder(json);
  EXPECT_EQ(imported.ranks, 4);
  ASSERT_EQ(imported.calls.size(), 2U);
  EXPECT_EQ(imported.calls[0].collective, Collective::reduce_scatter);
  EXPECT_EQ(imported.calls[0].elements, 6U);
  EXPECT_EQ(imported.calls[0].type, DataType::bfloat16);
  EXPECT_THAT(imported.communicators.at(0).members, testing::ElementsAre(1, 3));
  EXPECT_EQ(imported.calls[1].elements, 9U);
  EXPECT_EQ(imported.calls[1].peer, (Peer{false, 0}));
  EXPECT_EQ(imported.communicators.at(0).rank, 1) << "which the message's name shows";
  EXPECT_EQ(imported.not_understood.size(), 1U) << "a message without a sender";
}

TEST(FlightRecorderDumps, of_ranks_that_differ_are_refused) {
  std::vector<std::string> notes;
  EXPECT_THROW(import_step(ranks_of("other_collective", 4), {.steps = 1}, notes), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
