#include "sweeps/launch_rows.hpp"

#include <csignal>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "results/csv.hpp"
#include "sweeps/objective.hpp"
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
    Record blank{.run_id = "id.1", .transport = "tcp", .ranks = 4};
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

TEST_F(LaunchRowsTest, a_failure_that_left_no_row_gets_one_with_the_end_of_its_output) {
  write_rows({Status::ok});
  const auto launch = read(exited(3), "# header\nringmark: rank 1 on b: lost rank 0\nBAD TERMINATION\n");
  ASSERT_EQ(launch.rows.size(), 2U);
  EXPECT_EQ(launch.rows[1].status, Status::failed);
  EXPECT_EQ(launch.rows[1].detail, "exit status 3: ringmark: rank 1 on b: lost rank 0");
  EXPECT_EQ(launch.failure, "exit status 3");
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

Record measured(std::uint64_t size, double time, Status status = Status::ok) {
  return {.size_bytes = size, .time_us_p50 = time, .busbw_GBps = 1 / time, .status = status};
}

TEST(ObjectiveTest, weighs_sizes_and_interpolates_between_them) {
  const Objective objective{{{1024, 2}, {4096, 1}}, "time_us_p50"};
  EXPECT_DOUBLE_EQ(*score(objective, {measured(1024, 10), measured(4096, 30)}), 50);
  // In place and out of place count once.
  EXPECT_DOUBLE_EQ(*score(objective, {measured(1024, 8), measured(1024, 12), measured(4096, 30)}), 50);
  // Twice the size in twice the time: a power law between the neighbours.
  EXPECT_NEAR(*score({{{2048, 1}}, "time_us_p50"}, {measured(1024, 10), measured(4096, 40)}), 20, 1e-9);
}

TEST(ObjectiveTest, is_nothing_for_what_failed_or_was_not_measured) {
  const Objective objective{{{1024, 1}}, "time_us_p50"};
  EXPECT_EQ(score(objective, {}), std::nullopt);
  EXPECT_EQ(score(objective, {measured(1024, 10), measured(1024, 9, Status::wrong)}), std::nullopt);
  EXPECT_EQ(score(objective, {measured(2048, 10), measured(4096, 20)}), std::nullopt) << "below what was measured";
  EXPECT_EQ(score(objective, {measured(512, 10)}), std::nullopt) << "above what was measured";
  EXPECT_DOUBLE_EQ(*score(objective, {measured(1020, 10)}), 10) << "rounded down to whole blocks";
  EXPECT_DOUBLE_EQ(*score({{}, "busbw_GBps"}, {measured(8, 4)}), 0.25);
  EXPECT_EQ(score({{}, "no_such_column"}, {measured(8, 4)}), std::nullopt);
}

}  // namespace
}  // namespace ringmark::sweep
