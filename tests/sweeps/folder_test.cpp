#include "sweeps/folder.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using ringmark::testing_support::ResultFolder;

void append_to(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

class FolderTest : public testing::Test {
 protected:
  ResultFolder results_;
  std::string path_ = results_.file("sweep");
  static Record row(const std::string& run_id) { return {.run_id = parse_run_id(run_id), .status = Status::ok}; }
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

TEST_F(FolderTest, a_launch_that_does_not_get_onto_the_disk_leaves_what_was_there) {
  auto folder = create();
  folder.add({row("id.1")}, {}, {.launch = 1, .status = Status::ok});
  const auto before = read_file(path_ + "/results.csv");
  // Where samples should be appended there is a folder.
  std::filesystem::remove(path_ + "/samples.jsonl");
  std::filesystem::create_directory(path_ + "/samples.jsonl");
  EXPECT_THROW(folder.add({row("id.2")}, {}, {.launch = 2, .status = Status::ok}), std::system_error);
  EXPECT_EQ(read_file(path_ + "/results.csv"), before);
  EXPECT_EQ(folder.journal().done.size(), 1U);
  std::filesystem::remove(path_ + "/samples.jsonl");
  folder.add({row("id.2")}, {}, {.launch = 2, .status = Status::ok});
  EXPECT_EQ(results_.records("sweep/results.csv").size(), 2U);
}

TEST_F(FolderTest, a_manifest_is_read_as_it_was_written) {
  const auto folder = create();
  EXPECT_TRUE(folder.read_manifest().is_discarded()) << "there is none yet";
  folder.write_manifest({{"schema", "sweep/1"}, {"cut \xff", 1}});
  EXPECT_EQ(folder.read_manifest()["schema"], "sweep/1");
  folder.replace("abc", "abc");
  EXPECT_EQ(sha256_of(folder.file("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(sha256_of(folder.file("none")), std::runtime_error);
}

}  // namespace
}  // namespace ringmark::sweep
