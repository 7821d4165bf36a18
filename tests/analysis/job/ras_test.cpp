// Reports in the formats of NCCL's src/ras/client_support.cc: text of 2.24.3, 2.26.2 and 2.28.9, JSON of 2.28.9 and
// 2.29.7, with values of our own. The cases of a report that says OK and of one that lists the wrong ranks are those of
// https://github.com/NVIDIA/nccl/issues/1730 and 1911.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/job/evidence_of.hpp"

namespace ringmark::analysis::job {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

std::string report(const std::string& status, const std::string& errors, const std::string& warnings,
                   const std::string& version = "2.26.2") {
  return "NCCL version " + version + R"( compiled with CUDA 12.6
CUDA runtime version 12060, driver version 12060

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       7-8        32        32   RUNNING  )" +
         status + "\n\nErrors\n======\n\n" + errors + "Warnings\n========\n\n" + warnings;
}

std::string timed_out(int rank, int last_entered = 520) {
  const auto number = std::to_string(rank);
  return "[rank" + number + R"(]:[E1103 07:48:01.005271823 ProcessGroupNCCL.cpp:632] [Rank )" + number +
         "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=512, OpType=ALLREDUCE, NumelIn=4096, "
         "NumelOut=4096, Timeout(ms)=600000) ran for 600068 milliseconds before timing out.\n[rank" +
         number + R"(]:[E1103 07:48:01.005538748 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank )" +
         number + "]  failure detected by watchdog at work sequence id: 512 PG status: last enqueued work: " +
         std::to_string(last_entered) + ", last completed work: 511\n";
}

std::string json_report(const std::string& ranks, const std::string& missing, const std::string& version = "2.28.9") {
  return R"({"nccl_version": ")" + version + R"(", "cuda_runtime_version": 13000, "cuda_driver_version": 13000,
    "timestamp": "2026-01-02 03:04:05", "communicators_count": 1, "communicators": [{"hash": "0xae94", "size": 4,
    "secondary_hash": "0x1:0x2", "ranks_count": 3, "missing_ranks_count": 1, "ranks": [)" +
         ranks + R"(], "missing_ranks": [)" + missing +
         R"(]}], "ras": {"collection_time_sec": 0.000, "timeouts_count": 0}})";
}
std::string json_rank(int rank, int all_reduces, int async_error = 0) {
  return R"({"rank": )" + std::to_string(rank) + R"(, "host": "10.0.0.)" + std::to_string(rank / 2) +
         R"(", "pid": 7, "cuda_dev": 0, "nvml_dev": 0, "status": {"init_state": 0, "async_error": )" +
         std::to_string(async_error) +
         R"(, "finalize_called": false, "destroy_flag": false, "abort_flag": false}, "collective_counts": {"AllReduce": )" +
         std::to_string(all_reduces) + R"(, "AllGather": 3}})";
}
std::string json_missing(int rank, bool is_dead) {
  return R"({"rank": )" + std::to_string(rank) +
         R"(, "host": "10.0.0.1", "pid": 8, "cuda_dev": 1, "nvml_dev": 1, "status": {"unresponsive": true, "considered_dead": )" +
         (is_dead ? "true}}" : "false}}");
}

TEST(RasText, a_healthy_report_has_nothing_wrong) {
  const auto evidence = evidence_of(report("OK", "", ""));
  ASSERT_EQ(evidence.statuses.size(), 1U);
  EXPECT_EQ(evidence.statuses[0].ranks, 32);
  EXPECT_TRUE(evidence.statuses[0].is_ok);
  EXPECT_TRUE(diagnose(evidence, {}).findings.empty());
}

TEST(RasText, a_rank_that_does_not_answer_is_named_with_its_host) {
  for (const auto& [version, line] :
       {std::pair("2.24.3", "  The missing rank: 21\n"),
        std::pair("2.28.9", "  Rank 21 -- GPU 5 managed by process 3487984 on node 10.0.0.3\n")}) {
    const auto evidence =
        evidence_of(report("INCOMPLETE",
                           "INCOMPLETE\n  Missing communicator data from 1 job process\n"
                           "  Process 3487984 on node 10.0.0.3 managing GPU 5\n\n"
                           "#0-0 (cf264af53edbe986) INCOMPLETE\n"
                           "  Missing communicator data from 1 rank\n" +
                               std::string(line) + "\n",
                           "TIMEOUT\n  Encountered 2 communication timeouts while gathering\n\n", version));
    const auto findings = diagnose(evidence, {}).findings;
    ASSERT_EQ(findings.size(), 1U) << version;
    EXPECT_EQ(findings[0].kind, FindingKind::unwell);
    EXPECT_THAT(findings[0].ranks, ElementsAre(21));
    EXPECT_EQ(evidence.communicators[*findings[0].communicator].id, "0xcf264af53edbe986");
    EXPECT_EQ(evidence.communicators[*findings[0].communicator].size, 32);
  }
}

TEST(RasText, a_dead_process_is_named_where_no_rank_is) {
  const auto evidence =
      evidence_of(report("INCOMPLETE",
                         "DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n"
                         "  Process 77 on node 10.0.0.3 managing GPU 5\n\n",
                         ""));
  const auto findings = found(evidence, FindingKind::unwell);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].sentence, HasSubstr("process 77 on node 10.0.0.3 is considered dead"));
}

const std::string ahead =
    "#0-0 (fa93daea854b060b) MISMATCH\n  Communicator ranks have different AllGather operation counts\n"
    "  30 ranks have launched up to operation 640\n  2 ranks have launched up to operation 641\n"
    "  Rank 12 -- GPU 4 managed by process 32 on node 10.0.0.2\n"
    "  Rank 13 -- GPU 5 managed by process 33 on node 10.0.0.2\n\n";

TEST(RasText, ranks_that_are_listed_but_ahead_are_not_called_late) {
  const auto evidence = evidence_of(report("MISMATCH", "", ahead));
  const auto diagnosis = diagnose(evidence, {});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  const auto& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::counts_differ);
  EXPECT_TRUE(finding.ranks.empty());
  EXPECT_TRUE(diagnosis.is_undecided());
  EXPECT_EQ(finding.operation, "all_gather");
  EXPECT_THAT(finding.sentence, HasSubstr("30 ranks have launched 640"));
  EXPECT_THAT(finding.sentence, HasSubstr("lists ranks 12-13, which are ahead"));
  EXPECT_THAT(diagnosis.next_command, HasSubstr("ncclras"));
}

TEST(RasText, a_rank_behind_is_named_and_two_equal_reports_decide) {
  const auto behind =
      "#0-0 (fa93daea854b060b) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
      "  31 ranks have launched up to operation 640\n"
      "  Rank 5 has launched up to operation 639 -- GPU 5 managed by process 33 on node 10.0.0.1\n\n";
  auto evidence = evidence_of(report("MISMATCH", "", behind));
  auto findings = found(evidence, FindingKind::counts_differ);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(5));
  EXPECT_FALSE(findings[0].is_decided);
  evidence.add(evidence_of(report("MISMATCH", "", behind)));
  findings = found(evidence, FindingKind::counts_differ);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].is_decided);
}

TEST(RasText, an_unknown_version_is_refused_by_name) {
  EXPECT_THAT(why_no_evidence(report("OK", "", "", "2.23.4")), HasSubstr("2.23.4"));
  EXPECT_THAT(why_no_evidence(report("OK", "", "", "3.0.1")), HasSubstr("3.0.1"));
}

TEST(RasText, a_report_that_is_cut_off_anywhere_is_read_or_refused) {
  const auto text = report("MISMATCH", "", ahead);
  for (std::size_t size = 0; size < text.size(); ++size) {
    try {
      diagnose(evidence_of(text.substr(0, size)), {});
    } catch (const BadUsage&) {
      EXPECT_LT(size, text.find("Communicators...") + 16) << size;
    }
  }
}

TEST(Watchdog, a_time_out_contradicts_a_report_that_says_ok) {
  const auto evidence = evidence_of(report("OK", "", "") + timed_out(18));
  ASSERT_EQ(evidence.sources.size(), 2U);
  const auto findings = found(evidence, FindingKind::contradiction);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].operation, "all_reduce");
  EXPECT_EQ(findings[0].sequence, 512U);
  EXPECT_THAT(findings[0].waiting, ElementsAre(18));
  EXPECT_THAT(findings[0].sentence, HasSubstr("600.1 s, until 11-03 07:48:01"));
  EXPECT_EQ(evidence.communicators[*findings[0].communicator].description, "default_pg");
}

TEST(Watchdog, the_rank_that_enqueued_less_than_the_others_is_late) {
  const auto last = timed_out(2, 511);
  const auto evidence = evidence_of(
      timed_out(0) + timed_out(1) + timed_out(3) +
      // Rank 2 waits for an earlier call of another group.
      "[rank2]:[E1103 07:48:01.0 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=40, OpType=_ALLGATHER_BASE, NumelIn=1, NumelOut=2, Timeout(ms)=600000) ran for 600001 "
      "milliseconds before timing out.\n[rank2]:[E1103 07:48:01.1 P.cpp:1] [PG ID 3 PG GUID 5(tp) Rank 0] failure "
      "detected by watchdog at work sequence id: 40 PG status: last enqueued work: 40, last completed work: 39\n");
  EXPECT_EQ(evidence.communicators.size(), 2U);
  const auto findings = diagnose(evidence, {}).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, FindingKind::elsewhere);
  EXPECT_THAT(findings[0].ranks, ElementsAre(2));
}

TEST(Watchdog, an_impossible_rank_is_not_counted_to) {
  EXPECT_EQ(evidence_of(timed_out(2'000'000'000)).least_ranks, 0);
  const auto report_of_many = json_report("", "");
  const auto at = report_of_many.find("\"size\": 4");
  const auto evidence = evidence_of(std::string(report_of_many).replace(at, 9, "\"size\": 2000000000"), "ras.json");
  EXPECT_TRUE(diagnose(evidence, {}).findings.empty());
}

TEST(Watchdog, time_outs_that_name_no_rank_are_undecided) {
  const auto diagnosis = diagnose(evidence_of(timed_out(0) + timed_out(1)), {});
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::unfinished);
  EXPECT_TRUE(diagnosis.is_undecided());
  EXPECT_THAT(diagnosis.next_command, HasSubstr("ringmark-link"));
}

TEST(RasJson, ranks_that_are_missing_behind_or_in_error_are_named) {
  const auto evidence = evidence_of(
      json_report(json_rank(0, 9) + "," + json_rank(1, 9, 6) + "," + json_rank(2, 8), json_missing(3, true)),
      "ras.json");
  const auto unwell = found(evidence, FindingKind::unwell);
  ASSERT_EQ(unwell.size(), 2U);
  EXPECT_THAT(unwell[0].ranks, ElementsAre(3));
  EXPECT_THAT(unwell[0].sentence, HasSubstr("rank 3 on 10.0.0.1"));
  EXPECT_THAT(unwell[1].ranks, ElementsAre(1));
  const auto behind = found(evidence, FindingKind::counts_differ);
  ASSERT_EQ(behind.size(), 1U);
  EXPECT_THAT(behind[0].ranks, ElementsAre(2));
  EXPECT_EQ(behind[0].operation, "all_reduce");
}

TEST(RasJson, a_rank_that_cannot_be_reached_but_left_a_dump_is_a_contradiction) {
  auto evidence = evidence_of(json_report(json_rank(0, 9), json_missing(3, false)), "ras.json");
  evidence.add(read_evidence({RINGMARK_SOURCE_DIR "/tests/analysis/job/dumps/healthy"}));
  const auto findings = found(evidence, FindingKind::contradiction);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(3));
}

TEST(RasJson, a_report_that_lists_other_ranks_than_the_dumps_show_is_a_contradiction) {
  auto evidence = evidence_of(
      json_report(json_rank(0, 8) + "," + json_rank(1, 9) + "," + json_rank(2, 8) + "," + json_rank(3, 8), ""),
      "ras.json");
  evidence.add(read_evidence({RINGMARK_SOURCE_DIR "/tests/analysis/job/dumps/late"}));
  const auto findings = found(evidence, FindingKind::contradiction);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(2));
  EXPECT_THAT(findings[0].sentence, HasSubstr("RAS lists rank 1"));
}

TEST(RasJson, an_event_of_a_dead_process_is_read_and_an_unknown_version_refused) {
  const auto evidence = evidence_of(
      R"({"timestamp": "2026-01-02 03:04:05", "group": "LIFECYCLE", "event": "PEER_DEAD",
          "peer": {"host": "10.0.0.5", "pid": 15, "cuda_devs": [1], "nvml_devs": [1]}, "details": ""})",
      "ras.json");
  EXPECT_EQ(found(evidence, FindingKind::unwell).size(), 1U);
  EXPECT_THAT(why_no_evidence(json_report("", "", "2.99.0"), "ras.json"), HasSubstr("2.99.0"));
  EXPECT_THAT(why_no_evidence(R"({"nccl_version": "2.28.9", "communicators": [{"hash": 1}]})", "ras.json"),
              HasSubstr("ras.json"));
}

}  // namespace
}  // namespace ringmark::analysis::job
