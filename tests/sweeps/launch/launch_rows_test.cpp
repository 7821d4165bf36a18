#include "sweeps/launch/launch_rows.hpp"

#include <csignal>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "results/files/failure.hpp"
#include "results/files/result_file.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using ringmark::testing_support::ResultFolder;

constexpr int exited(int status) { return status << 8; }

class LaunchRowsTest : public testing::Test {
 protected:
  void write_rows(const std::vector<Status>& statuses, const std::string& rest = "") {
    std::ofstream file(results_.file("r.csv"));
    file << write_csv(record_header());
    for (const auto& status : statuses) file << write_csv(to_csv({.run_id = "id.1", .status = status}));
    file << rest;
  }
  LaunchRows read(int raw_status, const std::string& log, bool past_deadline = false) {
    std::ofstream(results_.file("l.log")) << log;
    const CommandRun run{std::chrono::seconds(9), std::chrono::seconds(1), results_.file("l.log"), ""};
    Record blank{.run_id = "id.1", .transport = Transport::tcp, .ranks = 4};
    return read_launch(results_.file("r.csv"), {raw_status, {}, past_deadline, {}}, run, blank);
  }
  ResultFolder results_;
};

TEST_F(LaunchRowsTest, what_went_well_has_its_own_rows_only) {
  write_rows({Status::ok, Status::ok});
  const auto launch = read(exited(0), "# noise\n");
  EXPECT_EQ(launch.rows.size(), 2U);
  EXPECT_EQ(launch.status, Status::ok);
  EXPECT_EQ(launch.failure, "");
}

TEST_F(LaunchRowsTest, a_launch_is_told_which_of_its_limits_ended_it) {
  CommandRun run{std::chrono::seconds(9), std::chrono::seconds(1), results_.file("l.log"), ""};
  run.table = results_.file("r.csv");
  run.most = std::chrono::seconds(12);
  Ending ending{.past_deadline = true, .started_after = std::chrono::seconds(1)};
  const auto failure = [&] { return read_launch(run.table, ending, run, Record{.ranks = 4}).failure; };
  EXPECT_EQ(failure(), "ended at its deadline of 9 s");
  ending.started_after = std::chrono::seconds(5);
  EXPECT_EQ(failure(), "ended at its deadline of 12 s");
}

TEST_F(LaunchRowsTest, a_failure_that_left_no_row_gets_one_with_the_end_of_its_output) {
  write_rows({Status::ok});
  const auto launch = read(exited(3), "# header\nsrun: task 1\nBAD TERMINATION\n");
  ASSERT_EQ(launch.rows.size(), 2U);
  EXPECT_EQ(launch.rows[1].status, Status::failed);
  EXPECT_EQ(launch.rows[1].detail, "exit status 3: srun: task 1 | BAD TERMINATION");
  EXPECT_EQ(launch.failure, "exit status 3");
}

TEST_F(LaunchRowsTest, failures_that_ranks_report_come_before_the_noise_of_the_launcher) {
  const LostRank gone{2, "host-2", "nothing heard from its host for 3.0 s"};
  append_failure(failures_beside(results_.file("r.csv")), {1, "host-1", 3, "no memory"});
  append_failure(failures_beside(results_.file("r.csv")), {0, "host-0", 3, in_words(gone), gone});
  const auto launch = read(exited(255), "[mpiexec] one of the processes terminated badly\n");
  EXPECT_EQ(launch.lost_rank, gone);
  ASSERT_EQ(launch.rows.size(), 1U);
  EXPECT_EQ(launch.rows[0].detail,
            "exit status 255: rank 1 on host-1: no memory | rank 0 on host-0: " + in_words(gone));
  words_for_files(results_.file("r.csv"));
  EXPECT_EQ(read(exited(255), "lost rank 2 on host-2: text of a log\n").lost_rank, std::nullopt);
}

TEST_F(LaunchRowsTest, a_process_that_only_the_launcher_saw_die_is_named_and_is_a_kind_of_failure_of_its_own) {
  const auto killed_on = [&](const std::string& host) {
    return read(exited(255), "=   PID 77 RUNNING AT " + host +
                                 "\n=   EXIT CODE: 9\n[proxy:0:0@host-0] main (pmip.c:169): demux engine error\n");
  };
  const auto launch = killed_on("host-3");
  ASSERT_TRUE(launch.lost_rank);
  EXPECT_EQ(launch.lost_rank->host, "host-3");
  EXPECT_EQ(launch.rows.at(0).detail, launch.account);
  EXPECT_NE(launch.account.find(in_words(*launch.lost_rank)), std::string::npos);
  EXPECT_EQ(launch.account.find("host-0"), std::string::npos) << "noise names innocent hosts";
  EXPECT_EQ(launch.failure, killed_on("host-3").failure);
  EXPECT_NE(launch.failure, killed_on("host-2").failure);
}

TEST_F(LaunchRowsTest, a_rank_that_others_name_has_the_signal_that_the_launcher_reports) {
  const LostRank gone{2, "host-2", "it closed the connection"};
  append_failure(failures_beside(results_.file("r.csv")), {0, "host-0", 3, in_words(gone), gone});
  const auto launch =
      read(exited(137), "mpirun noticed that process rank 2 with PID 80 on node host-2 exited on signal 9 (Killed).\n");
  ASSERT_TRUE(launch.lost_rank);
  EXPECT_EQ(launch.lost_rank->rank, 2);
  EXPECT_EQ(launch.lost_rank->signal, 9);
}

TEST_F(LaunchRowsTest, the_lost_rank_is_the_one_that_most_others_name) {
  const auto tells = [&](int rank, int lost) {
    append_failure(failures_beside(results_.file("r.csv")), {rank, "", 3, "", LostRank{lost, "", ""}});
  };
  tells(3, 0);
  tells(0, 3);
  EXPECT_EQ(read(exited(255), "").lost_rank->rank, 3) << "a rank that is cut off takes the others for lost";
  tells(2, 0);
  EXPECT_EQ(read(exited(255), "").lost_rank->rank, 0) << "more name it";
}

TEST_F(LaunchRowsTest, a_failure_that_told_itself_is_not_told_twice) {
  write_rows({Status::ok, Status::failed});
  const auto launch = read(exited(3), "");
  EXPECT_EQ(launch.rows.size(), 2U);
  EXPECT_EQ(launch.status, Status::failed);
  EXPECT_EQ(launch.failure, "exit status 3");
}

TEST_F(LaunchRowsTest, endings_have_words_of_their_own) {
  EXPECT_EQ(read(SIGSEGV, "last words\n").rows.at(0).detail, "killed by signal 11: last words");
  EXPECT_EQ(read(exited(0), "").failure, "left no rows");
  const auto late = read(SIGTERM, "working\n", true);
  EXPECT_EQ(late.rows.at(0).status, Status::timeout);
  EXPECT_EQ(late.rows.at(0).detail, "ended at its deadline of 9 s: working");
  CommandRun run{std::chrono::seconds(9), std::chrono::seconds(1), results_.file("l.log"), ""};
  run.table = results_.file("r.csv");
  const auto before_its_start = [&](std::optional<std::chrono::duration<double>> started_after) {
    Ending ending;
    ending.past_deadline = true;
    ending.started_after = started_after;
    const auto detail = read_launch(run.table, ending, run, Record()).rows.at(0).detail;
    return detail.find("before its ranks were connected") != std::string::npos;
  };
  EXPECT_TRUE(before_its_start(std::nullopt));
  run.start_deadline = std::chrono::seconds(2);
  Ending hung;
  hung.past_deadline = true;
  EXPECT_EQ(read_launch(run.table, hung, run, Record()).failure,
            "ended at its deadline of 2 s, before its ranks were connected");
  EXPECT_FALSE(before_its_start(std::chrono::seconds(1)));
  const auto refused = read(exited(4), "ringmark: --transport verbs: no device\n");
  EXPECT_EQ(refused.rows.at(0).status, Status::unsupported);
  EXPECT_EQ(refused.failure, "") << "that is an answer, not a failure";
}

TEST_F(LaunchRowsTest, a_row_that_says_something_else_does_not_hide_a_crash) {
  for (const auto status : {Status::unsupported, Status::ignored, Status::wrong}) {
    write_rows({status});
    EXPECT_EQ(read(SIGSEGV, "").failure, "killed by signal 11") << name(status);
    EXPECT_EQ(read(exited(0), "").failure, "") << name(status);
  }
  write_rows({Status::wrong});
  EXPECT_EQ(read(exited(1), "").failure, "");
}

TEST_F(LaunchRowsTest, half_a_row_at_the_end_is_no_row_and_a_foreign_table_is_a_failure) {
  write_rows({Status::ok}, "1,id.1,2026,\"half");
  EXPECT_EQ(read(SIGKILL, "").rows.size(), 2U);
  std::ofstream(results_.file("r.csv")) << "a,b\n1,2\n";
  EXPECT_EQ(read(exited(0), "").status, Status::failed);
}

}  // namespace
}  // namespace ringmark::sweep
