#include "results/files/failure.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

TEST(Failures, come_back_from_the_file_that_ranks_append_them_to) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("failures");
  const auto lost = failure_of(PeerLost(2, "c", "its connection closed"), 1, 3);
  const Failure other{0, "a", 4, "no \"device\"\nat all"};
  EXPECT_EQ(lost.lost, (LostRank{2, "c", "its connection closed"}));
  append_failure(path, lost);
  append_failure(path, other);
  EXPECT_EQ(read_failures(whole_file(path, path)), (std::vector{lost, other}));
}

TEST(Failures, begin_on_a_line_of_their_own) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("failures");
  std::ofstream(path) << R"({"rank":1,"host":"b","exit_st)";
  const Failure failure{0, "a", 3, "text"};
  append_failure(path, failure);
  append_failure(path, failure);
  EXPECT_EQ(read_failures(whole_file(path, path)), (std::vector{failure, failure}));
}

TEST(Failures, that_are_no_loss_name_no_rank) {
  EXPECT_FALSE(failure_of(TimedOut("lost rank 1 on b: too late"), 0, 3).lost);
  EXPECT_FALSE(failure_of(LinkLost("a", "b", "nothing passed"), 0, 3).lost);
}

TEST(Failures, are_read_around_lines_that_are_none) {
  const auto failures = read_failures(
      "{\"rank\":1,\"host\":\"b\",\"exit_status\":3,\"te\n[1]\n{\"rank\":\"one\",\"host\":\"b\",\"exit_status\":3,"
      "\"text\":\"\"}\n"
      "{\"rank\":1,\"host\":\"b\",\"exit_status\":3,\"text\":\"t\",\"lost\":{\"rank\":0}}\n"
      "{\"rank\":1,\"host\":\"b\",\"exit_status\":3,\"text\":\"t\"}\n");
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(in_words(failures[0]), "rank 1 on b: t");
}

TEST(Failures, that_a_starter_reports_of_a_rank_name_it_once) {
  const PeerLost lost(1, "vm", "killed by signal 9 (Killed)");
  auto failure = failure_of(lost, 1, 3);
  EXPECT_EQ(in_words(failure), lost.what());
  failure.rank = 0;
  EXPECT_NE(in_words(failure), lost.what());
}

TEST(Failures, of_writing_one_are_ignored) {
  append_failure("/nowhere/at/all", {0, "a", 3, "text"});
  append_failure("", {0, "a", 3, "text"});
  EXPECT_FALSE(std::filesystem::exists("/nowhere"));
}

}  // namespace
}  // namespace ringmark
