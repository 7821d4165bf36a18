#include "base/write_file.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WriteFile, puts_a_text_in_the_place_of_another) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("a");
  write_file(path, "a long text");
  write_file(path, "short");
  EXPECT_EQ(whole_file(path, path), "short");
}

TEST(WriteFile, takes_a_text_in_parts_and_keeps_the_old_one_where_the_writer_fails) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("a");
  write_file(path, [](const TextSink& sink) { sink("one "), sink("two"); });
  EXPECT_EQ(whole_file(path, path), "one two");
  const auto fail = [](const TextSink& sink) {
    sink("half");
    throw BadUsage("no more");
  };
  EXPECT_THROW(write_file(path, fail), BadUsage);
  EXPECT_EQ(whole_file(path, path), "one two");
}

TEST(WriteFile, takes_nothing_of_what_a_dead_process_of_the_same_number_left) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("a");
  std::ofstream(path + "." + std::to_string(::getpid()) + ".part") << "remains";
  write_file(path, "text");
  EXPECT_EQ(whole_file(path, path), "text");
}

TEST(WriteFile, never_replaces_results) {
  const testing_support::ResultFolder folder;
  for (const auto* first : {"schema,run_id,time_utc", R"({"context":{},"schema":"samples/1"})", "SQLite format 3"}) {
    const auto path = folder.file("results");
    std::ofstream(path) << first << "\n";
    EXPECT_THROW(write_file(path, "a report"), BadUsage);
    EXPECT_EQ(whole_file(path, path), std::string(first) + "\n");
  }
}

TEST(WriteFile, takes_no_dash_for_a_file) { EXPECT_THROW(write_file("-", "text"), BadUsage); }

TEST(WriteFile, names_the_file_and_the_reason) {
  const testing_support::ResultFolder folder;
  try {
    write_file(folder.file("none/a"), "text");
    FAIL() << "wrote it";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("none/a: No such file"));
    EXPECT_THAT(error.what(), Not(HasSubstr(".part")));
  }
}

TEST(ReplaceFile, leaves_the_old_file_and_nothing_else_where_writing_fails) {
  const testing_support::ResultFolder folder;
  const auto path = folder.file("a");
  write_file(path, "old");
  EXPECT_THROW(replace_file(path,
                            [](const std::string& part) {
                              std::ofstream(part) << "half";
                              throw std::runtime_error("full");
                            }),
               std::runtime_error);
  EXPECT_EQ(whole_file(path, path), "old");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) files += entry.exists();
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace ringmark
