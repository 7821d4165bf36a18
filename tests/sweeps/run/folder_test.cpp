#include "sweeps/run/folder.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/errors.hpp"
#include "base/system/digest.hpp"
#include "base/system/files.hpp"
#include "sweeps/nodes/node_start.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using ringmark::testing_support::ResultFolder;

void append_to(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

class FolderTest : public testing::Test {
 protected:
  ResultFolder results_;
  std::string path_ = results_.file("sweep");
  static Record row(const std::string& run_id) { return {.run_id = run_id, .status = Status::ok}; }
  static std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const BadUsage& error) {
      return error.what();
    }
    return "";
  }
  std::string refusal_to_open() const {
    return refusal([&] { Folder::open(path_); });
  }
  bool is_in(const std::string& text, const std::string& part) const { return text.find(part) != std::string::npos; }
  /// A sweep of so many launches, each with a row and a line of samples.
  void measure(std::size_t launches) {
    auto folder = create();
    for (std::size_t launch = 1; launch <= launches; ++launch) {
      append_to(folder.launch_file(launch, "samples"), fmt::format("{{\"launch\":{}}}\n", launch));
      folder.add({row(fmt::format("id.{}", launch))}, {}, {.launch = launch, .status = Status::ok});
    }
  }
  void replace_in(const std::string& name, const std::string& from, const std::string& to) const {
    auto text = read_file(path_ + "/" + name);
    text.replace(text.find(from), from.size(), to);
    std::ofstream(path_ + "/" + name) << text;
  }
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

TEST_F(FolderTest, names_that_nobody_can_use_are_told) {
  const std::string long_name(300, 'x');
  EXPECT_NE(refusal([&] { Folder::create(results_.file(long_name), {}, ""); }), "");
  EXPECT_NE(refusal([&] { Folder::open(results_.file(long_name)); }), "");
  append_to(results_.file("a file"), "");
  EXPECT_NE(refusal([&] { Folder::create(results_.file("a file"), {}, ""); }), "");
  EXPECT_NE(refusal([&] { Folder::create(results_.file("a file/below"), {}, ""); }), "");
}

TEST_F(FolderTest, is_begun_once_even_if_a_runner_was_killed_before_it_began) {
  std::filesystem::create_directories(path_ + "/logs");
  append_to(path_ + "/journal", "");
  append_to(path_ + "/sweep.yaml.77.part", "quest");
  { const auto folder = create(); }
  EXPECT_NE(refusal([&] { create(); }), "");
  EXPECT_EQ(refusal_to_open(), "");
}

TEST_F(FolderTest, changed_results_are_refused_with_the_launch) {
  measure(3);
  ASSERT_EQ(refusal_to_open(), "");
  const auto whole = read_file(path_ + "/results.csv");
  replace_in("results.csv", "id.2,", "id.4,");
  EXPECT_TRUE(is_in(refusal_to_open(), "launch 2")) << refusal_to_open();
  std::ofstream(path_ + "/results.csv") << whole;
  EXPECT_EQ(refusal_to_open(), "");
  replace_in("samples.jsonl", "3", "4");
  EXPECT_TRUE(is_in(refusal_to_open(), "launch 3")) << refusal_to_open();
}

TEST_F(FolderTest, a_journal_without_digests_goes_on_if_the_rows_can_be_read) {
  measure(2);
  std::string old;
  std::istringstream lines(read_file(path_ + "/journal"));
  for (std::string line; std::getline(lines, line);) {
    auto json = nlohmann::json::parse(line);
    json.erase("results_sha256");
    json.erase("samples_sha256");
    old += json.dump() + "\n";
  }
  std::ofstream(path_ + "/journal") << old;
  EXPECT_EQ(refusal_to_open(), "");
  replace_in("results.csv", "id.2,", "id.2\"");
  EXPECT_NE(refusal_to_open(), "");
}

TEST_F(FolderTest, lost_samples_do_not_keep_it_from_going_on) {
  measure(3);
  std::filesystem::resize_file(path_ + "/samples.jsonl", 20);
  const auto whole_line = read_file(path_ + "/samples.jsonl").substr(0, 13);
  {
    auto folder = Folder::open(path_);
    EXPECT_EQ(folder.notes().size(), 1U);
    append_to(folder.launch_file(4, "samples"), "{\"launch\":4}\n");
    folder.add({row("id.4")}, {}, {.launch = 4, .status = Status::ok});
    EXPECT_EQ(read_file(path_ + "/samples.jsonl"), whole_line + "{\"launch\":4}\n");
  }
  EXPECT_TRUE(Folder::open(path_).notes().empty());
  replace_in("samples.jsonl", "4", "5");
  EXPECT_TRUE(is_in(refusal_to_open(), "launch 4"));
  std::filesystem::remove(path_ + "/samples.jsonl");
  EXPECT_EQ(Folder::open(path_).notes().size(), 1U);
  EXPECT_EQ(results_.records("sweep/results.csv").size(), 4U);
}

TEST_F(FolderTest, measured_rows_outlive_a_lost_journal) {
  measure(3);
  const auto rows = read_file(path_ + "/results.csv"), journal = read_file(path_ + "/journal");
  std::ofstream(path_ + "/journal") << "";
  EXPECT_NE(refusal_to_open(), "");
  EXPECT_FALSE(is_in(refusal_to_open(), "remove"));
  EXPECT_NE(refusal([&] { create(); }), "");
  // A journal without its last two lines.
  std::ofstream(path_ + "/journal") << journal.substr(0, journal.find('\n', journal.find('\n') + 1) + 1);
  EXPECT_TRUE(is_in(refusal_to_open(), "launch 3")) << refusal_to_open();
  EXPECT_EQ(read_file(path_ + "/results.csv"), rows);
}

TEST_F(FolderTest, a_pipe_among_its_files_is_refused_at_once) {
  for (const char* name : {"journal", "results.csv", "samples.jsonl", "sweep.yaml", "manifest.json"}) {
    std::filesystem::remove_all(path_);
    measure(1);
    std::filesystem::remove(path_ + "/" + name);
    ASSERT_EQ(::mkfifo((path_ + "/" + name).c_str(), 0600), 0);
    static_cast<void>(launcher_in(path_));  // asked before the folder is opened
    EXPECT_NE(refusal_to_open(), "") << name;
  }
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
  auto folder = create();
  EXPECT_TRUE(folder.read_manifest().is_null()) << "there is none yet";
  folder.write_manifest({{"schema", "sweep/1"}, {"cut \xff", 1}, {"sittings", nlohmann::json::array()}});
  EXPECT_EQ(folder.read_manifest()["schema"], "sweep/1");
  EXPECT_TRUE(folder.notes().empty());
  for (const char* damaged : {"{\"sittings\":3}", "{\"sittings\":[3]}", "[]", "{\"sitt"}) {
    folder.replace("manifest.json", damaged);
    EXPECT_TRUE(folder.read_manifest().is_null()) << damaged;
    EXPECT_EQ(read_file(folder.file("manifest.json.damaged")), damaged);
  }
  EXPECT_EQ(folder.notes().size(), 4U);
  folder.replace("abc", "abc");
  EXPECT_EQ(sha256_of(folder.file("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(sha256_of(folder.file("none")), std::runtime_error);
}

}  // namespace
}  // namespace ringmark::sweep
