// Sweeps that start what they measure by real launchers: mpirun of MPICH and Open MPI in a lab, and Slurm.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"
#include "results/cells.hpp"
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
      rows.push_back(fmt::format("{} {} {} {} {} {} {}", record.run_id.launch.value_or(0), to_cell(record.transport),
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
    EXPECT_EQ(record.status, Status::ok) << record.detail.text();
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
    EXPECT_EQ(record.status, Status::ok) << record.detail.text();
    EXPECT_EQ(record.ranks, 2);
  }
}

}  // namespace
}  // namespace ringmark
