#include "sweeps/journal.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "results/csv.hpp"
#include "sweeps/folder.hpp"
#include "tests/programs/result_folder.hpp"
#include "transports/errors.hpp"
#include "transports/system/files.hpp"

namespace ringmark::sweep {
namespace {

using ringmark::testing_support::ResultFolder;

void append_to(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

class JournalTest : public testing::Test {
 protected:
  ResultFolder results_;
};

TEST_F(JournalTest, waits_a_moment_for_what_a_killed_runner_left_behind) {
  const auto path = results_.file("journal");
  auto left_behind = std::make_unique<Journal>(path);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    left_behind.reset();
  });
  EXPECT_NO_THROW(Journal{path});
  ends.join();
  const Journal running(path);
  EXPECT_THROW(Journal{path}, BadUsage);
}

TEST_F(JournalTest, is_read_as_it_was_written_without_an_unfinished_line) {
  const auto path = results_.file("journal");
  {
    Journal journal(path);
    journal.begin({"run", "tune", "/x/s.yaml", "abc"});
    journal.done({1, 7, 2, Status::ok, "", 0.5, 12.25, true, 100, 200});
    journal.done({2, 8, 0, Status::failed, "exit status 3", 1.5, std::nullopt, false, 150, 200});
  }
  append_to(path, R"({"launch":3,"point")");
  const Journal journal(path);
  ASSERT_TRUE(journal.content().head);
  EXPECT_EQ(journal.content().head->sweep_path, "/x/s.yaml");
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

class FolderTest : public JournalTest {
 protected:
  std::string path_ = results_.file("sweep");
  static Record row(const std::string& run_id) { return {.run_id = run_id, .status = Status::ok}; }
  Folder create() { return Folder::create(path_, {"id", "run", "/s.yaml", ""}, "question: Why?\n"); }
};

TEST_F(FolderTest, rows_that_the_journal_does_not_know_are_dropped) {
  {
    auto folder = create();
    append_to(folder.launch_file(1, "samples"), "{\"a\":1}\n{\"unfinished");
    folder.add({row("id.1")}, {"tcp.sockets"}, {.launch = 1, .status = Status::ok});
    EXPECT_FALSE(std::filesystem::exists(folder.launch_file(1, "samples")));
  }
  const auto whole = read_file(path_ + "/results.csv");
  append_to(path_ + "/results.csv", "1,id.2,half");
  append_to(path_ + "/samples.jsonl", "{\"b\":2}\n");
  const auto folder = Folder::open(path_);
  EXPECT_EQ(read_file(path_ + "/results.csv"), whole);
  EXPECT_EQ(read_file(path_ + "/samples.jsonl"), "{\"a\":1}\n");
  EXPECT_EQ(folder.journal().done.size(), 1U);
}

TEST_F(FolderTest, is_refused_if_it_is_not_what_it_was) {
  EXPECT_THROW(Folder::open(path_), BadUsage);
  {
    auto folder = create();
    folder.add({row("id.1")}, {}, {.launch = 1, .status = Status::ok});
  }
  EXPECT_THROW(create(), BadUsage);
  append_to(path_ + "/sweep.yaml", "# changed\n");
  EXPECT_THROW(Folder::open(path_), BadUsage);
  std::ofstream(path_ + "/sweep.yaml") << "question: Why?\n";
  EXPECT_NO_THROW(Folder::open(path_));
  std::filesystem::resize_file(path_ + "/results.csv", 10);
  EXPECT_THROW(Folder::open(path_), BadUsage);
}

TEST_F(FolderTest, a_file_that_is_in_the_way_is_not_overwritten) {
  std::filesystem::create_directories(path_);
  append_to(path_ + "/thesis.txt", "precious");
  EXPECT_THROW(create(), BadUsage);
  EXPECT_EQ(read_file(path_ + "/thesis.txt"), "precious");
}

}  // namespace
}  // namespace ringmark::sweep
