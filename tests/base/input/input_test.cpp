#include "base/input/input.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& path, std::uint64_t most_bytes = 100) {
  try {
    whole_file(path, "--file " + path, most_bytes);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(WholeFile, reads_files_and_pipes) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("a")) << "text";
  EXPECT_EQ(whole_file(folder.file("a"), "a"), "text");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(folder.file("pipe")) << "from a pipe"; });
  EXPECT_EQ(whole_file(folder.file("pipe"), "a"), "from a pipe");
  writer.join();
}

TEST(WholeFile, says_what_it_cannot_read) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("long")) << std::string(101, 'x');
  EXPECT_THAT(refusal(folder.file("none")), HasSubstr("none: no such file"));
  EXPECT_THAT(refusal(folder.file("")), HasSubstr(": is a folder"));
  EXPECT_THAT(refusal(folder.file("long")), HasSubstr("larger than"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("larger than"));
  EXPECT_THAT(refusal("/dev/zero", UINT64_MAX), HasSubstr("larger than 1 MiB")) << "whatever the limit of files";
}

TEST(WholeFile, refuses_a_file_by_its_size_before_it_reads) {
  const testing_support::ResultFolder folder;
  { const std::ofstream file(folder.file("sparse")); }
  std::filesystem::resize_file(folder.file("sparse"), std::uintmax_t{1} << 42U);
  EXPECT_THROW(limit_of(folder.file("sparse"), "a", std::uint64_t{1} << 41U), BadUsage);
  EXPECT_THAT(refusal(folder.file("sparse"), std::uint64_t{1} << 43U), HasSubstr("memory"));
  EXPECT_EQ(limit_of(folder.file("none"), "a", 7), 7U);
}

TEST(WholeText, of_utf_16_becomes_utf_8) {
  const testing_support::ResultFolder folder;
  const auto read = [&](const std::string& bytes) {
    std::ofstream(folder.file("log"), std::ios::binary) << bytes;
    return whole_text(folder.file("log"), "log");
  };
  using std::string_literals::operator""s;
  EXPECT_EQ(read("\xFF\xFE"
                 "3\0\xB5\x00s\0\n\0"s),
            "3\xC2\xB5s\n");
  EXPECT_EQ(read("\xFE\xFF\0o\0k"s), "ok");
  EXPECT_EQ(read("\xFF\xFE\x3D\xD8\x00\xDE"s), "\xF0\x9F\x98\x80") << "a pair of code units";
  EXPECT_EQ(read("plain"), "plain");
  EXPECT_EQ(read("\xEF\xBB\xBFmarked"), "marked");
  EXPECT_THROW(read("\xFF\xFE\x3D\xD8"s), BadUsage) << "half a pair";
  EXPECT_THROW(read("\xFF\xFE\x31"s), BadUsage) << "half a code unit";
}

std::string json_refusal(const std::string& text) {
  try {
    parse_json("a.json", text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(ParseJson, says_where_and_what_is_no_json) {
  const std::string value = json_refusal("{\n  \"batch\": BATCH_SIZE,\n  \"b\": 1}");
  EXPECT_THAT(value, HasSubstr("a.json:2: "));
  EXPECT_THAT(value, HasSubstr("column 12: 'BATCH_SIZE'"));
  EXPECT_THAT(json_refusal("{\"a\": [1,\n2"), HasSubstr("a.json:2: not JSON: it ends"));
  EXPECT_THAT(json_refusal(" \n"), HasSubstr("empty"));
  EXPECT_THAT(json_refusal("{\"a\": 1e999}"), HasSubstr("digits"));
  EXPECT_THAT(json_refusal("{\"a\": \"\xff\"}"), HasSubstr("a.json:1: not JSON"));
  EXPECT_EQ(json_refusal("// a comment\n{}"), "");
}

}  // namespace
}  // namespace ringmark
