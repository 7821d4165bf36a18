// Logs in the formats of NCCL's Inspector: v4.0 of ext-profiler/inspector/inspector.cc in NCCL 2.28.9, and v4.3 of
// plugins/profiler/inspector/README.md, in which a record of statistics has the header of those that follow. The
// profiler trace is that of ext-profiler/example/print_event.c in NCCL 2.26.2. Values are our own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/job/evidence_of.hpp"

namespace ringmark::analysis::job {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

std::string context(int rank, const std::string& version) {
  return fmt::format(R"("header": {{"id": "0x7f8c", "rank": {}, "n_ranks": 4, "nnodes": 2}},
    "metadata": {{"inspector_output_format_version": "{}", "git_rev": "", "rec_mechanism": "profiler_plugin",
    "dump_timestamp_us": 1748030377748202, "hostname": "node{}", "pid": 7}})",
                     rank, version, rank / 2);
}

std::string operation(int sequence, double time_us) {
  return fmt::format(R"("coll_perf": {{"coll": "AllReduce", "coll_sn": {}, "coll_msg_size_bytes": 1048576,
    "coll_exec_time_us": {}, "coll_timing_source": "kernel_gpu", "coll_algobw_gbs": 1.0, "coll_busbw_gbs": {}}})",
                     sequence, time_us, 1.5 * 1048.576 / time_us);
}

/// A log of `calls` for each of four ranks, of which one enters last.
Evidence job_of(int calls, int late_rank, double time_us, double wait_us) {
  Evidence evidence;
  for (int rank = 0; rank < 4; ++rank) {
    std::string text;
    for (int i = 0; i < calls; ++i)
      text += fmt::format("{{{}, {}}}\n", context(rank, "v4.0"),
                          operation(i, rank == late_rank ? time_us : time_us + wait_us));
    evidence.add(evidence_of(text, fmt::format("node-pid{}.log", rank)));
  }
  return evidence;
}

TEST(Inspector, records_of_either_layout_are_the_same) {
  const auto with_header = evidence_of("{" + context(2, "v4.0") + ", " + operation(7, 100) + "}\n", "a.log");
  const auto after_marker = evidence_of(
      "{" + context(2, "v4.3") + R"(, "dump_stats": {"coll_records": 1}})" + "\n{" + operation(7, 100) + "}\n",
      "a.log");
  for (const auto& evidence : {with_header, after_marker}) {
    ASSERT_EQ(evidence.timed.size(), 1U);
    const auto& timed = evidence.timed[0];
    EXPECT_EQ(timed.rank, 2);
    EXPECT_EQ(timed.host, "node1");
    EXPECT_EQ(timed.operation, "all_reduce");
    EXPECT_EQ(timed.sequence, 7U);
    EXPECT_EQ(timed.size_bytes, 1048576U);
    EXPECT_DOUBLE_EQ(timed.time_us, 100);
    EXPECT_EQ(evidence.communicators[timed.communicator].size, 4);
  }
}

TEST(Inspector, unknown_versions_and_damage_are_refused_and_a_cut_off_record_is_noted) {
  EXPECT_THAT(why_no_evidence("{" + context(0, "v5.0") + ", " + operation(1, 1) + "}"), HasSubstr("v5.0"));
  EXPECT_THAT(why_no_evidence("{" + context(0, "v4.9") + "}"), HasSubstr("v4.9"));
  const auto line = "{" + context(0, "v4.1") + ", " + operation(1, 1) + "}\n";
  EXPECT_THAT(why_no_evidence(line + "{\"header\": 1 2}\n" + line), HasSubstr("not JSON"));
  const auto evidence = evidence_of(line + line.substr(0, line.size() / 2));
  EXPECT_EQ(evidence.timed.size(), 1U);
  EXPECT_EQ(evidence.notes.size(), 1U);
}

TEST(LateEntries, the_rank_that_the_others_wait_for_is_named) {
  const auto findings = found(job_of(20, 1, 100, 60), FindingKind::enters_late);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
  EXPECT_THAT(findings[0].sentence, HasSubstr("rank 1 on node0"));
  EXPECT_TRUE(found(job_of(20, 1, 100, 5), FindingKind::enters_late).empty()) << "they hardly wait";
  EXPECT_TRUE(found(job_of(5, 1, 100, 60), FindingKind::enters_late).empty()) << "too few calls";
}

TEST(SlowCollectives, a_bandwidth_below_the_baseline_is_reported) {
  const auto evidence = job_of(20, 1, 100, 60);
  const double reached = 1.5 * 1048.576 / 100;
  const auto slow = [&](BaselineRow row) {
    return found(evidence, FindingKind::slow, {.baseline = {std::move(row)}}).size();
  };
  EXPECT_EQ(slow({"all_reduce", 4, 1048576, 2 * reached}), 1U);
  EXPECT_EQ(slow({"all_reduce", 4, 2097152, 2 * reached}), 1U);
  EXPECT_EQ(slow({"all_reduce", 4, 1048576, 1.1 * reached}), 0U) << "within what is tolerated";
  EXPECT_EQ(slow({"all_reduce", 8, 1048576, 2 * reached}), 0U) << "other ranks";
  EXPECT_EQ(slow({"all_gather", 4, 1048576, 2 * reached}), 0U) << "another collective";
  EXPECT_EQ(slow({"all_reduce", 4, 8388608, 2 * reached}), 0U) << "another size";
  const auto diagnosis = diagnose(job_of(20, -1, 100, 0), {.baseline = {{"all_reduce", 4, 1048576, 99 * reached}}});
  EXPECT_EQ(diagnosis.next_command, "mpirun -n 4 ringmark-all-reduce --sizes 1M --csv now.csv");
}

std::string begun(int rank, int sequence, int id) {
  return fmt::format(
             R"({{"name": "AllReduce", "cat": "COLL", "ph": "b", "id": {}, "pid": {}, "tid": 1, "ts": 5.000000, )"
             R"("args": {{"SeqNum": {}, "CommHash": 255, "Rank": {}, "Count": 1024, "Datatype": "ncclFloat32"}}}},)",
             id, 100 + rank, sequence, rank) +
         "\n";
}
std::string ended(int rank, int id) {
  return fmt::format(
             R"({{"name": "AllReduce", "cat": "COLL", "ph": "e", "id": {}, "pid": {}, "tid": 1, "ts": 9.000000}},)", id,
             100 + rank) +
         "\n";
}

TEST(NcclProfiler, a_rank_without_a_call_that_others_wait_in_is_late) {
  Evidence evidence;
  for (int rank = 0; rank < 3; ++rank) {
    const auto text = "[\n" + begun(rank, 1, 0) + ended(rank, 0) + (rank == 1 ? "" : begun(rank, 2, 1)) + "{}]\n";
    evidence.add(evidence_of(text, fmt::format("trace-{}.txt", rank)));
  }
  const auto findings = found(evidence, FindingKind::late);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
  EXPECT_EQ(evidence.communicators[*findings[0].communicator].id, "0xff");
}

}  // namespace
}  // namespace ringmark::analysis::job
