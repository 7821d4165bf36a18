// Dumps in dumps/ were recorded by record_flight_recorder.py with torch 2.15.0, whose format is 2.10. Fields of NCCL's
// dumps follow torch/csrc/distributed/c10d/FlightRecorderDetail.hpp of PyTorch.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input/input.hpp"
#include "tests/analysis/job/evidence_of.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::analysis::job {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string dumps = RINGMARK_SOURCE_DIR "/tests/analysis/job/dumps/";

std::vector<Finding> diagnosed(const std::string& job, const WaitOptions& waits = {}) {
  return diagnose(read_evidence({dumps + job}), {.waits = waits}).findings;
}

TEST(FlightRecorder, a_healthy_job_has_nothing_wrong) { EXPECT_TRUE(diagnosed("healthy").empty()); }

TEST(FlightRecorder, a_killed_rank_is_missing) {
  const auto findings = diagnosed("killed");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::missing);
  EXPECT_THAT(findings[0].ranks, ElementsAre(3));
  EXPECT_EQ(findings[0].operation, "all_reduce");
  EXPECT_EQ(findings[0].sequence, 7U);
  EXPECT_TRUE(findings[0].since.has_value());
}

TEST(FlightRecorder, a_rank_that_sleeps_is_late_in_either_form) {
  const ResultFolder pickles, json;
  for (const auto& entry : std::filesystem::directory_iterator(dumps + "late")) {
    const auto& folder = entry.path().extension() == ".json" ? json : pickles;
    std::filesystem::copy_file(entry.path(), folder.file(entry.path().filename().string()));
  }
  for (const auto* folder : {&pickles, &json}) {
    const auto evidence = read_evidence({folder->path()});
    EXPECT_EQ(evidence.sources.size(), 4U);
    const auto findings = diagnose(evidence, {}).findings;
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].kind, FindingKind::late);
    EXPECT_THAT(findings[0].ranks, ElementsAre(2));
    EXPECT_THAT(findings[0].waiting, ElementsAre(0, 1, 3));
    EXPECT_EQ(findings[0].operation, "all_reduce");
    EXPECT_EQ(findings[0].sequence, 7U);
  }
}

TEST(FlightRecorder, a_rank_in_another_collective_is_named) {
  const auto findings = diagnosed("other_collective");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::mismatched);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
  EXPECT_EQ(findings[0].operation, "broadcast");
}

TEST(FlightRecorder, a_rank_that_is_alone_in_its_groups_collective_is_named) {
  const auto findings = diagnosed("other_group");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::elsewhere);
  EXPECT_THAT(findings[0].ranks, ElementsAre(2));
  EXPECT_THAT(findings[0].waiting, ElementsAre(0, 1, 3));
}

TEST(FlightRecorder, a_last_rank_without_a_dump_is_known_from_the_number_of_ranks) {
  const auto findings = diagnosed("healthy", {.ranks = 5});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::missing);
  EXPECT_THAT(findings[0].ranks, ElementsAre(4));
}

TEST(FlightRecorder, hosts_of_ranks_are_named) {
  auto evidence = read_evidence({dumps + "late"});
  evidence.hosts = {"a", "a", "b", "b"};
  const auto diagnosis = diagnose(evidence, {});
  EXPECT_THAT(diagnosis.findings[0].sentence, HasSubstr("rank 2 on b"));
  EXPECT_EQ(diagnosis.next_command, "ssh b ringmark-doctor");
}

/// One rank's dump of NCCL: a completed all_reduce and one that is not.
std::string nccl_dump(const std::string& state, const std::string& more_entries = "",
                      const std::string& version = "2.9") {
  return R"({"version": ")" + version + R"(", "pg_config": {"7": {"name": "7", "desc": "dp", "ranks": "[1, 3]"}},
    "pg_status": {"2": {"last_enqueued_collective": "9", "last_started_collective": "9", "last_completed_collective": "8"}},
    "entries": [{"record_id": 0, "pg_id": 2, "process_group": ["7", "dp"], "collective_seq_id": 8, "p2p_seq_id": 0, "op_id": 8,
      "profiling_name": "nccl:_all_gather_base", "time_created_ns": 1700000000000000000, "input_sizes": [[4]],
      "input_dtypes": ["Float"], "output_sizes": [[8]], "output_dtypes": ["Float"], "state": ")" +
         state + R"(", "retired": true, "timeout_ms": 600000, "is_p2p": false})" + more_entries + "]}";
}

TEST(FlightRecorder, fields_of_an_nccl_dump_are_read) {
  const auto evidence = evidence_of(nccl_dump("started"), "dir/nccl_trace_rank_3.json");
  ASSERT_EQ(evidence.calls.size(), 1U);
  const auto& calls = evidence.calls[0];
  EXPECT_EQ(calls.rank, 3);
  EXPECT_EQ(calls.last_entered, 9U);
  const auto& call = calls.calls.at(8);
  EXPECT_EQ(call.operation, "all_gather");
  EXPECT_EQ(call.state, CallState::started) << "NCCL's calls are retired when they time out, too";
  EXPECT_EQ(call.created->time_since_epoch().count(), 1'700'000'000'000'000'000);
  const auto& group = evidence.communicators[calls.communicator];
  EXPECT_THAT(group.members, ElementsAre(1, 3));
  EXPECT_EQ(group.description, "dp");
  EXPECT_EQ(evidence.least_ranks, 4);
}

TEST(FlightRecorder, calls_launched_as_one_count_as_one_and_messages_as_none) {
  const auto more =
      R"(, {"pg_id": 2, "process_group": ["7", "dp"], "collective_seq_id": 8, "profiling_name": "nccl:broadcast",
      "time_created_ns": 1, "state": "scheduled", "is_p2p": false},
     {"pg_id": 2, "process_group": ["7", "dp"], "collective_seq_id": 8, "profiling_name": "nccl:recv 1<-0",
      "time_created_ns": 1, "state": "started", "is_p2p": true})";
  const auto evidence = evidence_of(nccl_dump("completed", more), "nccl_trace_rank_3");
  ASSERT_EQ(evidence.calls[0].calls.size(), 1U);
  EXPECT_EQ(evidence.calls[0].calls.at(8).operation, "all_gather+broadcast");
  EXPECT_EQ(evidence.calls[0].calls.at(8).state, CallState::scheduled);
  ASSERT_EQ(evidence.calls[0].messages.size(), 1U);
  EXPECT_EQ(evidence.calls[0].messages[0].peer, 1) << "rank 0 of the group is the job's rank 1";
}

TEST(FlightRecorder, another_version_and_a_name_without_a_rank_are_refused) {
  EXPECT_THAT(why_no_evidence(nccl_dump("started", "", "3.0")), HasSubstr("3.0"));
  EXPECT_THAT(why_no_evidence(nccl_dump("started", "", "1.5")), HasSubstr("1.5"));
  EXPECT_THAT(why_no_evidence(nccl_dump("started"), "trace"), HasSubstr("nccl_trace_rank_3"));
}

TEST(FlightRecorder, a_damaged_dump_in_a_folder_is_noted_and_its_rank_is_not_missing) {
  const ResultFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    const auto name = "nccl_trace_rank_" + std::to_string(rank);
    auto bytes = whole_file(dumps + "healthy/" + name, name);
    if (rank == 1) bytes.resize(bytes.size() / 2);
    std::ofstream(folder.file(name), std::ios::binary) << bytes;
  }
  std::ofstream(folder.file("notes.txt")) << "not evidence\n";
  std::ofstream(folder.file("nccl_trace_rank_9.gz")) << "\x1F\x8B";
  const auto evidence = read_evidence({folder.path()});
  EXPECT_EQ(evidence.sources.size(), 3U);
  EXPECT_EQ(evidence.notes.size(), 3U);
  EXPECT_TRUE(diagnose(evidence, {}).findings.empty());
  EXPECT_THROW(read_evidence({folder.file("nccl_trace_rank_1")}), BadUsage);
  EXPECT_THROW(read_evidence({folder.file("notes.txt")}), BadUsage);
}

}  // namespace
}  // namespace ringmark::analysis::job
