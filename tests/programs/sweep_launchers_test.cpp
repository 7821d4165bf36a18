// Sweeps that start what they measure by real launchers: mpirun of MPICH and Open MPI in a lab, and Slurm.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"
#include "results/schema/cells.hpp"
#include "tests/programs/sweep_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class SweepsInLab : public Sweeps {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static std::string lab(int hosts, const std::string& words) {
    return bin + "/ringmark-lab run --hosts " + std::to_string(hosts) + " --rate 1gbit -- " + sweep(words);
  }
};

/// Before the real mpirun: hangs or crashes if FAULT says so.
constexpr auto faulty_launcher = R"sh(#!/bin/bash
case $FAULT in
  hang) trap '' TERM; sleep 1000 ;;
  crash) kill -SEGV $$ ;;
esac
exec "$@"
)sh";

TEST_F(SweepsInLab, a_sweep_over_tcp_and_mpi_with_faults_survives_five_kills) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("faulty")) << faulty_launcher;
  std::filesystem::permissions(results_.file("faulty"), std::filesystem::perms::owner_all);
  std::ofstream(results_.file("s.yaml"))
      << "question: Does a sweep survive the night?\nprogram: all-reduce\nranks: 2\n"
      << "launcher: {command: [" << results_.file("faulty") << ", mpirun.mpich, -n, \"{ranks}\", \"{command}\"]}\n"
      << "arguments: {sizes: [1K, 64K], iters: 5, warmup: 1, in-place: \"no\"}\n"
      << "variables: {transport: [tcp, mpi, verbs], algorithm: [unset, ring], FAULT: [unset, hang, crash]}\n"
      << "exclude: [{transport: [mpi, verbs], algorithm: ring}, {transport: [mpi, verbs], FAULT: [hang, crash]},\n"
      << "          {algorithm: ring, FAULT: [hang, crash]}]\n"
      << "repetitions: 7\ndeadline: 12s\ngrace: 300ms\n";
  const auto key = [&](const std::string& name) {
    std::vector<std::string> rows;
    for (const auto& record : results_.records(name + "/results.csv")) {
      rows.push_back(fmt::format("{} {} {} {} {} {} {}", record.launch.value_or(0), to_cell(record.transport),
                                 record.extra.at("FAULT"), record.algorithm, record.repetition, record.size_bytes,
                                 ringmark::name(record.status)));
    }
    return rows;
  };
  const auto calm = run(lab(2, "run " + results_.file("s.yaml") + " -o " + folder("calm")), 180);
  EXPECT_EQ(calm.status, 3) << calm.output;
  const auto expected = key("calm");
  ASSERT_EQ(expected.size(), 7U * (2 + 2 + 2 + 1 + 1 + 1)) << calm.output;
  auto words = "run " + results_.file("s.yaml") + " -o " + folder("stormy");
  for (int kills = 0; kills < 5; ++kills) {
    // The journal tells when some launches more are done, whatever the speed of the machine.
    const auto wanted = 4 + 6 * kills;
    const auto line = lab(2, words) + " & while [ $(wc -l <" + folder("stormy") +
                      "/journal 2>/dev/null || echo 0) -lt " + std::to_string(wanted) +
                      " ]; do sleep 0.05; done; sleep 0.$((RANDOM % 10)); "
                      "pkill -KILL -f '^" +
                      bin + "/ringmark-sweep .*" + folder("stormy") + "$'; wait";
    EXPECT_NE(run(line, 120).status, 124);
    words = "resume " + folder("stormy");
  }
  const auto last = run(lab(2, words), 180);
  EXPECT_EQ(last.status, 3) << last.output;
  EXPECT_EQ(key("stormy"), expected);
}

TEST_F(SweepsInLab, open_mpi_launches_the_same_sweep) {
  if (const auto reason = why_no_mpi("openmpi"); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("s.yaml"))
      << "question: Do the launchers agree?\nprogram: all-reduce\nranks: 2\nlauncher: openmpi\n"
      << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nvariables: {transport: [tcp, mpi]}\n";
  const auto result = run(lab(2, "run " + results_.file("s.yaml") + " -o " + folder("o")), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto& record : results_.records("o/results.csv")) {
    EXPECT_EQ(record.status, Status::ok) << record.detail;
    EXPECT_EQ(record.nodes, 2);
  }
  const auto manifest = nlohmann::json::parse(read_file(folder("o") + "/manifest.json"));
  EXPECT_TRUE(manifest["sittings"][0]["nodes"].contains("host-1")) << manifest.dump();
}

TEST_F(SweepsInLab, the_smoke_sweep_runs_and_answers_its_question) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto result = run(lab(4, "run " RINGMARK_SOURCE_DIR "/sweeps/smoke.yaml -o " + folder("smoke")), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "Does everything run") && has(result.output, "transport=tcp")) << result.output;
  EXPECT_TRUE(has(read_file(folder("smoke") + "/samples.jsonl"), "\"time_us\""));
}

TEST_F(Sweeps, slurm_launches_ranks_that_find_each_other) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto cluster = run("bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm start " + results_.path());
  if (cluster.status != 0) GTEST_SKIP() << "no Slurm can be started here: " << cluster.output;
  std::ofstream(results_.file("s.yaml"))
      << "question: Does srun start ranks?\nprogram: all-reduce\nranks: 2\nranks_per_node: 2\n"
      << "launcher: {kind: srun, arguments: [--mpi=pmi2, --overcommit]}\n"
      << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nvariables: {transport: [tcp, mpi]}\ndeadline: 60s\n";
  const auto result = run("export SLURM_CONF=" + results_.file("slurm.conf") + "; " +
                              sweep("run " + results_.file("s.yaml") + " -o " + folder("l")),
                          150);
  const auto end = run("bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm stop " + results_.path());
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto& record : results_.records("l/results.csv")) {
    EXPECT_EQ(record.status, Status::ok) << record.detail;
    EXPECT_EQ(record.ranks, 2);
  }
}

/// A real Slurm of one node, for as long as the test runs.
class SweepsInAllocation : public Sweeps {
 protected:
  void SetUp() override {
    const auto cluster = run("bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm start " + results_.path());
    is_up_ = cluster.status == 0;
    if (!is_up_) GTEST_SKIP() << "no Slurm can be started here: " << cluster.output;
  }
  void TearDown() override {
    if (!is_up_) return;
    const auto end = run("bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm stop " + results_.path());
    EXPECT_EQ(end.status, 0) << end.output;
  }
  std::string allocated(const std::string& tasks, const std::string& words) const {
    return "export SLURM_CONF=" + results_.file("slurm.conf") + "; salloc -Q " + tasks + " " + sweep(words);
  }
  nlohmann::json sitting(const std::string& name, std::size_t number) const {
    return nlohmann::json::parse(read_file(folder(name) + "/manifest.json")).at("sittings").at(number);
  }

  /// Asks for MPICH and 7 ranks, which the allocation and `words_` replace.
  void write_sweep_of_transports() const {
    std::ofstream(results_.file("s.yaml"))
        << "question: Is the allocation found?\nprogram: all-reduce\nlauncher: mpich\nranks: 7\n"
        << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nvariables: {transport: [tcp, mpi]}\ndeadline: 60s\n";
  }

  const std::string words_ = "run " + results_.file("s.yaml") + " --launcher slurm -o ";
  bool is_up_ = false;
};

TEST_F(SweepsInAllocation, hosts_and_ranks_are_found) {
  write_sweep_of_transports();
  const auto result = run(allocated("--ntasks-per-node=3", words_ + folder("t") + " --variable transport=tcp"), 150);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(sitting("t", 0).at("pmi"), "none");
  EXPECT_EQ(sitting("t", 0).at("hosts").at("source"), "slurm");
  EXPECT_EQ(sitting("t", 0).at("hosts").at("from"), "SLURM_JOB_NODELIST");
  EXPECT_EQ(sitting("t", 0).at("hosts").at("names").size(), 1U);
  const auto rows = results_.records("t/results.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, Status::ok) << rows[0].detail;
  EXPECT_EQ(rows[0].ranks, 3);
}

TEST_F(SweepsInAllocation, the_pmi_of_slurm_starts_mpi) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  write_sweep_of_transports();
  const auto result = run(allocated("--ntasks-per-node=2", words_ + folder("m")), 150);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(sitting("m", 0).at("pmi"), "none");
  for (const auto& record : results_.records("m/results.csv")) {
    EXPECT_EQ(record.status, Status::ok) << record.detail;
    EXPECT_EQ(record.ranks, 2);
  }
}

TEST_F(SweepsInAllocation, a_sweep_goes_on_in_the_next_allocation_and_nowhere_else) {
  std::ofstream(results_.file("s.yaml"))
      << "question: Does it go on?\nprogram: all-reduce\nlauncher: slurm\n"
      << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nrepetitions: 12\ndeadline: 60s\n";
  const auto begun = run(allocated("-n 2", "run " + results_.file("s.yaml") + " -o " + folder("r")) + " & " +
                             until("[ $(cat " + folder("r") + "/journal 2>/dev/null | wc -l) -ge 2 ]") +
                             "; pkill -INT -f '^" + bin + "/ringmark-sweep .*" + folder("r") + "$'; wait",
                         150);
  ASSERT_LT(results_.records("r/results.csv").size(), 12U) << begun.output;
  const auto outside = run(sweep("resume " + folder("r")));
  EXPECT_EQ(outside.status, 2) << outside.output;
  const auto smaller = run(allocated("-n 1", "resume " + folder("r")));
  EXPECT_EQ(smaller.status, 2) << smaller.output;
  const auto resumed = run(allocated("-n 2", "resume --other-hosts " + folder("r")), 150);
  EXPECT_EQ(resumed.status, 0) << resumed.output;
  EXPECT_EQ(results_.records("r/results.csv").size(), 12U);
  EXPECT_EQ(sitting("r", 1).at("hosts").at("source"), "slurm");
}

TEST_F(SweepsInAllocation, a_batch_script_queues_itself_again_and_goes_on) {
  std::ofstream(results_.file("s.yaml"))
      << "question: Does it go on?\nprogram: all-reduce\nranks: 2\nranks_per_node: 2\n"
      << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nrepetitions: 12\ndeadline: 60s\n";
  const auto script = results_.file("s.sbatch");
  const auto emitted =
      run(sweep("emit " + results_.file("s.yaml") + " --for sbatch --time 5 -o " + folder("b")) + " >" + script);
  ASSERT_EQ(emitted.status, 0) << emitted.output;
  const auto rows_are = [&](const std::string& comparison) {
    return until("[ $(cat " + folder("b") + "/journal 2>/dev/null | wc -l) " + comparison + " ]");
  };
  const auto result =
      run("export SLURM_CONF=" + results_.file("slurm.conf") + "; cd " + results_.path() +
              "; job=$(sbatch --parsable " + script + "); " + rows_are("-ge 2") +
              "; scancel --batch --signal=USR1 $job; " + until("[ $(squeue -h -j $job -o %T) = PENDING ]") +
              // Slurm holds a job that comes again for two minutes.
              "; scontrol update JobId=$job StartTime=now; " + rows_are("-ge 13") + "; cat *.log",
          150);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(results_.records("b/results.csv").size(), 12U) << result.output;
  for (const auto& record : results_.records("b/results.csv")) EXPECT_EQ(record.status, Status::ok);
  EXPECT_EQ(sitting("b", 0).at("how"), "interrupted");
  EXPECT_EQ(sitting("b", 1).at("hosts").at("source"), "slurm");
}

}  // namespace
}  // namespace ringmark
