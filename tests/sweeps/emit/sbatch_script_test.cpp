#include "sweeps/emit/sbatch_script.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "sweeps/file/program.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "tests/sweeps/pod_shell.hpp"

namespace ringmark::sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string sweep_of_slurm =
    "question: \"Is it fast?\\nrm -rf /\"\nprogram: all-reduce\nlauncher: mpich\narguments: {sizes: 1K}\n"
    "ranks_per_node: 4\nvariables: {ranks: [4, 32], transport: [tcp, mpi]}\n";

std::string script_of(const Overrides& overrides, const std::string& time_limit = "30") {
  return sbatch_script(check_sweep(sweep_of_slurm, "s.yaml", overrides), "s.yaml", overrides,
                       {"/shared/my results", time_limit});
}

TEST(SbatchScript, asks_for_what_the_largest_setting_needs) {
  const auto script = script_of({});
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --nodes=8\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --ntasks-per-node=4\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --time=30\n"));
  EXPECT_THAT(script, HasSubstr("results='/shared/my results'\n"));
  EXPECT_THAT(script, HasSubstr(" --launcher slurm "));
}

TEST(SbatchScript, takes_launchers_that_reach_the_nodes_of_a_job) {
  for (const auto* launcher : {"none", "torchrun"}) {
    Overrides overrides;
    overrides.launcher = launcher;
    try {
      script_of(overrides);
      ADD_FAILURE() << launcher;
    } catch (const BadUsage& error) {
      EXPECT_EQ(error.problems().front().flag, "--launcher");
      EXPECT_EQ(error.problems().front().value, launcher);
    }
  }
  Overrides local;
  local.launcher = "local";
  EXPECT_THROW(script_of(local), BadUsage) << "it needs 8 nodes";
  const std::string sweep = "question: Fast?\nprogram: all-gather\nranks: 4\narguments: {sizes: 1K}\n";
  const auto script = sbatch_script(check_sweep(sweep, "s.yaml", local), "s.yaml", local, {"/shared/r"});
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --nodes=1\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --ntasks-per-node=4\n"));
  EXPECT_THAT(script, HasSubstr(" --launcher local "));
}

TEST(SbatchScript, hands_flags_on) {
  Overrides overrides;
  overrides.launcher = "openmpi";
  overrides.ranks_per_node = 2;
  overrides.variables = {{"ranks", "4"}, {"transport", "[tcp, mpi]"}};
  overrides.labels = {"cluster=eu1"};
  const auto script = script_of(overrides);
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --nodes=2\n"));
  EXPECT_THAT(script, HasSubstr(" --launcher openmpi --ranks-per-node 2 --variable ranks=4 "));
  EXPECT_THAT(script, HasSubstr("'transport=[tcp, mpi]'"));
  EXPECT_THAT(script, HasSubstr(" --label cluster=eu1"));
}

std::string script_for(const std::string& sweep, SbatchOptions options = {"/shared/r"}) {
  return sbatch_script(check_sweep(sweep, "s.yaml"), "s.yaml", {}, options);
}

TEST(SbatchScript, asks_for_gpus_where_buffers_are_in_their_memory) {
  const std::string sweep = "question: Fast?\nprogram: all-gather\nranks: 16\nranks_per_node: 8\n";
  const auto host = script_for(sweep + "variables: {transport: [tcp, mpi]}\n");
  EXPECT_THAT(host, Not(HasSubstr("\n#SBATCH --gpus-per-node")));
  EXPECT_THAT(host, Not(HasSubstr("\n#SBATCH --exclusive")));
  EXPECT_THAT(host, HasSubstr("\n##SBATCH --gpus-per-node=8\n"));
  for (const auto* of_gpus : {"arguments: {transport: nccl}\n", "variables: {transport: [tcp, nccl]}\n",
                              "arguments: {transport: verbs, verbs.memory: cuda}\n",
                              "arguments: {transport: verbs}\nvariables: {verbs.memory: [host, cuda]}\n"}) {
    const auto script = script_for(sweep + of_gpus);
    EXPECT_THAT(script, HasSubstr("\n#SBATCH --gpus-per-node=8\n")) << of_gpus;
    EXPECT_THAT(script, HasSubstr("\n#SBATCH --exclusive\n")) << of_gpus;
    EXPECT_THAT(script, Not(HasSubstr("##SBATCH --gpus"))) << of_gpus;
  }
  EXPECT_THAT(script_for(sweep + "arguments: {transport: nccl, nccl.share_gpu: 1}\n"),
              HasSubstr("\n#SBATCH --gpus-per-node=1\n"));
  const auto nccl = sweep + "arguments: {transport: nccl}\n";
  EXPECT_THAT(script_for(nccl, {.results = "/r", .gpus_per_node = 4}), HasSubstr("\n#SBATCH --gpus-per-node=4\n"));
  EXPECT_THAT(script_for(nccl, {.results = "/r", .gpus_per_node = 0}), Not(HasSubstr("\n#SBATCH --gpus-per-node")));
}

TEST(SbatchScript, refuses_a_limit_that_leaves_no_time_to_measure) {
  for (const auto* limit : {"1", "00:01:00", "3", "0:59"}) EXPECT_THROW(script_of({}, limit), BadUsage) << limit;
  EXPECT_NO_THROW(script_of({}, "4"));
  const auto patient = sweep_of_slurm + "grace: 10min\n";
  EXPECT_THROW(script_for(patient, {"/r", "10"}), BadUsage) << "its ranks may take longer to end";
  EXPECT_THAT(script_for(patient, {"/r", "20"}), HasSubstr("\n#SBATCH --signal=B:USR1@655\n"));
}

/// What a job does that Slurm signals, whose sweep finishes `launches` before it is stopped.
testing_support::ShellResult signalled_job(int launches) {
  using testing_support::run;
  const testing_support::ResultFolder folder;
  const auto program = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(folder.file(name), std::filesystem::perms::owner_all);
  };
  program("scontrol", "echo \"$1 $2\"\n");
  program("sweep",
          "trap 'exit 143' TERM\necho head >> r/journal\nfor launch in $LAUNCHES; do echo done >> r/journal; "
          "done\ntouch started\nwhile true; do sleep 0.05; done\n");
  auto script = script_for("question: Fast?\nprogram: all-reduce\n", {folder.file("r")});
  testing_support::replace_all(script, path_of("ringmark-sweep"), folder.file("sweep"));
  std::ofstream(folder.file("job")) << script;
  std::string finished;
  for (int i = 0; i < launches; ++i) finished += "x ";
  return run("cd " + folder.path() + "; mkdir r; export PATH=$PWD:$PATH SLURM_JOB_ID=77 LAUNCHES='" + finished +
             "'; bash job & job=$!; for i in $(seq 200); do [ -e started ] && break; sleep 0.05; done; "
             "kill -USR1 $job; wait $job");
}

TEST(SbatchScript, requeues_a_job_that_got_further_and_no_other) {
  const auto further = signalled_job(2);
  EXPECT_EQ(further.status, 0) << further.output;
  EXPECT_THAT(further.output, HasSubstr("requeue 77"));
  const auto stuck = signalled_job(0);
  EXPECT_EQ(stuck.status, 3) << stuck.output;
  EXPECT_THAT(stuck.output, Not(HasSubstr("requeue")));
}

TEST(SbatchScript, has_no_command_from_a_question) { EXPECT_THAT(script_of({}), Not(HasSubstr("\nrm -rf"))); }

TEST(SbatchScript, refuses_what_is_no_time_limit) {
  for (const auto* limit : {"", "1 hour", "5\n#SBATCH --uid=0"}) EXPECT_THROW(script_of({}, limit), BadUsage) << limit;
}

}  // namespace
}  // namespace ringmark::sweep
