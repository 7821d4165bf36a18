#include "sweeps/launch/launcher_words.hpp"

#include <gtest/gtest.h>

namespace ringmark::sweep {
namespace {

std::string hydra(const std::string& place, const std::string& code, const std::string& last = "") {
  return "===================\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   " + place +
         "\n=   EXIT CODE: " + code + "\n=   CLEANING UP REMAINING PROCESSES\n===================\n" + last;
}

TEST(LauncherWords, of_hydra_have_the_host) {
  const auto lost = death_in("# noise\r\n" + hydra("PID 77 RUNNING AT host-3", "9") +
                             "[proxy:0:0@host-0] main (pm/pmiserv/pmip.c:169): demux engine error waiting for event\n");
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->host, "host-3");
  EXPECT_EQ(lost->rank, std::nullopt);
  EXPECT_EQ(lost->signal, 9);
}

TEST(LauncherWords, of_hydra_on_one_host_have_the_first_signal_last) {
  const auto lost =
      death_in(hydra("PID 7 RUNNING AT vm", "9",
                     "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n"));
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->signal, 11);
}

TEST(LauncherWords, of_hydra_on_a_program_that_failed_by_itself_are_no_death) {
  EXPECT_FALSE(death_in(hydra("PID 77 RUNNING AT host-3", "3")));
}

TEST(LauncherWords, of_intel_mpi_have_the_rank) {
  const auto lost = death_in(
      "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
      "=   RANK 1 PID 4321 RUNNING AT node2\n=   KILLED BY SIGNAL: 7 (Bus error)\n");
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->host, "node2");
  EXPECT_EQ(lost->rank, 1);
  EXPECT_EQ(lost->signal, 7);
}

TEST(LauncherWords, of_open_mpi_have_rank_and_host) {
  for (const auto* who : {"mpirun.openmpi", "prterun"}) {
    const auto lost = death_in(
        std::string(who) + " noticed that process rank 2 with PID 80 on node host-2 exited on signal 9 (Killed).\n");
    ASSERT_TRUE(lost) << who;
    EXPECT_EQ(lost->host, "host-2");
    EXPECT_EQ(lost->rank, 2);
    EXPECT_EQ(lost->signal, 9);
  }
}

TEST(LauncherWords, of_srun_have_the_node_and_the_task) {
  const auto lost = death_in(
      "srun: error: node3: task 3: Killed\nsrun: Terminating StepId=7.0\n"
      "srun: error: node1: task 0: Terminated\n");
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->host, "node3");
  EXPECT_EQ(lost->rank, 3);
  EXPECT_EQ(lost->signal, 9);
  const auto several = death_in("srun: error: node3: tasks 4-6: Segmentation fault (core dumped)\n");
  ASSERT_TRUE(several);
  EXPECT_EQ(several->host, "node3");
  EXPECT_EQ(several->rank, std::nullopt);
  EXPECT_EQ(several->signal, 11);
  const auto memory = death_in("srun: error: node3: task 3: Out Of Memory\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->reason, "Out Of Memory");
}

TEST(LauncherWords, of_torchrun_have_the_root_cause) {
  const auto lost = death_in(
      "Root Cause (first observed failure):\n[0]:\n  time      : 2026-01-05_10:01:12\n"
      "  host      : node2\n  rank      : 5 (local_rank: 1)\n  exitcode  : -9 (pid: 1234)\n");
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->host, "node2");
  EXPECT_EQ(lost->rank, 5);
  EXPECT_EQ(lost->signal, 9);
}

TEST(LauncherWords, on_processes_that_it_ends_after_a_failure_are_no_death) {
  EXPECT_FALSE(death_in("srun: error: node1: task 0: Exited with exit code 3\nsrun: error: node3: task 3: Killed\n"));
  EXPECT_FALSE(
      death_in("mpirun detected that one or more processes exited with non-zero status, thus causing\n"
               "mpirun noticed that process rank 2 with PID 80 on node b exited on signal 15 (Terminated).\n"));
}

TEST(LauncherWords, that_are_cut_short_or_strange_name_nobody) {
  for (const auto* log : {"", "PID", "=   PID 7 RUNNING AT host-3", "srun: error: a: task", "srun: error: a: task x: ",
                          "noticed that process rank 2 with PID 80 on node ", "Root Cause (first observed failure)",
                          "=   PID 7 RUNNING AT h\n=   EXIT CODE: 99999999999999999999\n", "(signal 9)"})
    EXPECT_FALSE(death_in(log)) << log;
}

}  // namespace
}  // namespace ringmark::sweep
