#include "sweeps/launch/process_group.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using namespace std::chrono_literals;

class ProcessGroup : public testing::Test {
 protected:
  Ending shell(const std::string& words, std::chrono::milliseconds deadline = 20s) {
    return run({{"sh", "-c", words}, {}}, deadline);
  }
  Ending run(const Command& command, std::chrono::milliseconds deadline = 20s) {
    return run_command(command, {deadline, 100ms, log_, mark_}, signals_);
  }
  std::string log() const { return read_file(log_); }

  testing_support::ResultFolder folder_;
  std::string log_ = folder_.file("log"), mark_ = "of-this-test-" + std::to_string(::getpid());
  SignalQueue signals_;
};

TEST_F(ProcessGroup, a_command_s_output_and_status_are_kept) {
  const auto ending = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(WEXITSTATUS(ending.raw_status), 7);
  EXPECT_FALSE(ending.past_deadline);
  EXPECT_EQ(ending.interrupted_by, std::nullopt);
  EXPECT_EQ(log(), "out\nerr\n");
}

TEST_F(ProcessGroup, a_command_gets_its_environment_and_an_input_that_stays_silent) {
  ::setenv("TO_BE_UNSET", "1", 1);
  const auto ending = run({{"sh", "-c", "echo $GIVEN ${TO_BE_UNSET-gone} $RINGMARK_LAUNCH; timeout 0.2 cat; echo $?"},
                           {{"GIVEN", "yes"}, {"TO_BE_UNSET", std::nullopt}}});
  EXPECT_EQ(ending.raw_status, 0);
  EXPECT_EQ(log(), "yes gone " + mark_ + "\n124\n") << "124: cat still waited";
}

TEST_F(ProcessGroup, a_command_that_is_not_there_is_told_in_the_log) {
  EXPECT_EQ(WEXITSTATUS(run({{"/no/such/program"}, {}}).raw_status), 127);
  EXPECT_THAT(log(), testing::EndsWith("/no/such/program: No such file or directory\n"));
}

TEST_F(ProcessGroup, nothing_is_left_of_what_is_past_its_deadline) {
  // One that does not listen, and one in a session of its own.
  const auto ending = shell("trap '' TERM; setsid sleep 1000 & sleep 1000 & echo started; wait", 300ms);
  EXPECT_TRUE(ending.past_deadline);
  EXPECT_EQ(WTERMSIG(ending.raw_status), SIGKILL);
  EXPECT_EQ(log(), "started\n");
  EXPECT_EQ(kill_marked(mark_), 0);
}

TEST_F(ProcessGroup, the_deadline_counts_from_the_first_line_of_the_table) {
  const auto table = folder_.file("r.csv");
  CommandRun run{6s, 100ms, log_, mark_};
  run.table = table;
  const auto words = "sleep 3.5; echo header >>" + table + "; sleep 3.5";
  const auto started = run_command({{"sh", "-c", words}, {}}, run, signals_);
  EXPECT_FALSE(started.past_deadline);
  EXPECT_TRUE(started.started_after);
  run.most = 300ms;
  EXPECT_TRUE(run_command({{"sh", "-c", "sleep 1000"}, {}}, run, signals_).past_deadline) << "its table is there";
  run.most = 1h;
  run.deadline = 300ms;
  run.table = folder_.file("none.csv");
  const auto hung = run_command({{"sh", "-c", ": >" + run.table + "; sleep 1000"}, {}}, run, signals_);
  EXPECT_TRUE(hung.past_deadline);
  EXPECT_FALSE(hung.started_after) << "an empty table is no start";
}

TEST_F(ProcessGroup, the_start_may_have_a_deadline_of_its_own) {
  CommandRun run{1h, 100ms, log_, mark_};
  run.table = folder_.file("r.csv");
  run.start_deadline = 300ms;
  const auto hung = run_command({{"sh", "-c", "sleep 1000"}, {}}, run, signals_);
  EXPECT_TRUE(hung.past_deadline);
  EXPECT_FALSE(hung.started_after);
  run.start_deadline = 1h;
  run.deadline = 300ms;
  const auto slow = run_command({{"sh", "-c", "echo header >" + run.table + "; sleep 1000"}, {}}, run, signals_);
  EXPECT_TRUE(slow.past_deadline);
  EXPECT_TRUE(slow.started_after);
}

TEST(CommandRun, ends_after_its_start_and_its_measuring_at_most) {
  CommandRun run{9s, 1s, "", ""};
  EXPECT_EQ(run.ends_after(std::nullopt), 9s);
  run.table = "r.csv";
  run.start_deadline = 2s;
  EXPECT_EQ(run.ends_after(std::nullopt), 2s);
  EXPECT_EQ(run.ends_after(1s), 10s);
  EXPECT_EQ(run.deadline_of_part(1s), 9s);
  run.most = 5s;
  EXPECT_EQ(run.ends_after(1s), 5s);
}

TEST_F(ProcessGroup, a_signal_to_this_process_ends_the_command) {
  ::kill(::getpid(), SIGINT);
  const auto ending = shell("sleep 1000");
  EXPECT_EQ(ending.interrupted_by, SIGINT);
  EXPECT_FALSE(ending.past_deadline);
  EXPECT_EQ(WTERMSIG(ending.raw_status), SIGTERM);
}

}  // namespace
}  // namespace ringmark::sweep
