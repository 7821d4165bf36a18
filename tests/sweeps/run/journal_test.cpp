#include "sweeps/run/journal.hpp"

#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using ringmark::testing_support::ResultFolder;

class JournalTest : public testing::Test {
 protected:
  ResultFolder results_;
};

TEST_F(JournalTest, waits_a_moment_for_what_a_killed_runner_left_behind) {
  const auto path = results_.file("journal");
  auto left_behind = std::make_unique<Journal>(path);
  int pauses = 0;
  EXPECT_NO_THROW(Journal(path, [&] {
    if (++pauses == 3) left_behind.reset();
  }));
  EXPECT_EQ(pauses, 3);
}

TEST_F(JournalTest, is_read_as_it_was_written_without_an_unfinished_line) {
  const auto path = results_.file("journal");
  const Machines machines{{"a", "b"}, Lab{{"a", "b", "c"}, {{"a", {"a"}, 1e9}}}};
  {
    Journal journal(path);
    journal.begin({"run", "tune", "/x/s.yaml", "abc", {}, machines});
    journal.done({1, 7, 2, Status::ok, "", 0.5, 12.25, true, 100, 200});
    journal.done({2, 8, 0, Status::failed, "exit status 3", 1.5, std::nullopt, false, 150, 200});
  }
  std::ofstream(path, std::ios::app) << R"({"launch":3,"point")";
  const Journal journal(path);
  ASSERT_TRUE(journal.content().head);
  EXPECT_EQ(journal.content().head->sweep_path, "/x/s.yaml");
  EXPECT_EQ(journal.content().head->machines, machines);
  ASSERT_EQ(journal.content().done.size(), 2U);
  EXPECT_EQ(journal.content().done[0].score, 12.25);
  EXPECT_TRUE(journal.content().done[0].is_verification);
  EXPECT_EQ(journal.content().done[1].failure, "exit status 3");
  EXPECT_EQ(journal.content().done[1].results_bytes, 150U);
  EXPECT_EQ(read_file(path).back(), '\n');
}

TEST_F(JournalTest, what_is_none_is_told_with_file_and_line) {
  const std::string head =
      R"({"schema":"sweep-journal/1","run_id":"r","command":"run","sweep_path":"s","sweep_sha256":"x"})"
      "\n";
  const auto message_of = [&](const std::string& text) -> std::string {
    try {
      parse_journal(text, "journal");
    } catch (const JournalDamaged& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of(head), "");
  EXPECT_NE(message_of("{}\n").find("journal:1: "), std::string::npos);
  EXPECT_NE(message_of(head + "{\"launch\":1}\n" + head).find("journal:2: "), std::string::npos);
  EXPECT_NE(message_of(head + "[]\nmore\n").find("journal:2: "), std::string::npos);
}

TEST_F(JournalTest, belongs_to_one_runner_at_a_time) {
  const Journal first(results_.file("journal"));
  EXPECT_THROW(Journal second(results_.file("journal")), BadUsage);
}

}  // namespace
}  // namespace ringmark::sweep
