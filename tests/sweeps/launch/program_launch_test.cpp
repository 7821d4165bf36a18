#include "sweeps/launch/program_launch.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "results/files/failure.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/launch/launch_rows.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using namespace std::chrono_literals;

class ProgramLaunch : public testing::Test {
 protected:
  Ending run(const std::vector<std::string>& words, Clock::duration patience) {
    const CommandRun run{.deadline = 20s,
                         .grace = 100ms,
                         .log = folder_.file("launch.log"),
                         .mark = "of-this-test-" + std::to_string(::getpid()),
                         .table = table_};
    return run_program(sweep_, resolved_, words, run, patience, signals_);
  }

  testing_support::ResultFolder folder_;
  std::string table_ = folder_.file("launch.csv");
  Sweep sweep_ = read_sweep(
                     "question: Why?\nprogram: all-reduce\nranks: 2\nlauncher: {command: ['{command}']}\n"
                     "environment: {GIVEN: 'yes'}\n",
                     "s.yaml")
                     .sweep;
  Resolved resolved_ = resolve(sweep_, Plan(sweep_).setting(0));
  SignalQueue signals_;
};

TEST_F(ProgramLaunch, its_words_name_the_table_and_where_ranks_say_why_they_ended) {
  append_failure(failures_beside(table_), {1, "host-1", 3, "of an earlier launch"});
  const auto words = words_of_launch(resolved_, table_, folder_.file("choices"));
  EXPECT_THAT(words, testing::IsSupersetOf({"--csv=" + table_, "--failures=" + failures_beside(table_),
                                            "--algorithm=auto:" + folder_.file("choices")}));
  EXPECT_FALSE(std::filesystem::exists(failures_beside(table_)));
}

TEST_F(ProgramLaunch, ends_with_the_program_or_with_a_launcher_that_waits_for_a_lost_rank) {
  const auto short_run = run({"sh", "-c", "test \"$GIVEN\" = yes"}, 0s);
  EXPECT_EQ(short_run.raw_status, 0);
  EXPECT_FALSE(short_run.ended_by_watch);
  append_failure(failures_beside(table_), {0, "host-0", 3, "lost rank 1", LostRank{1, "host-1", "silent"}});
  EXPECT_TRUE(run({"sleep", "60"}, 0s).ended_by_watch);
}

}  // namespace
}  // namespace ringmark::sweep
