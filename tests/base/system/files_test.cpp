#include "base/system/files.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

TEST(Files, are_read_whole_also_those_whose_size_is_not_told) {
  EXPECT_THAT(read_file("/proc/self/status"), testing::HasSubstr("Name:\t"));
  EXPECT_THAT(read_text_if_readable("/proc/sys/kernel/ostype"), "Linux") << "without its newline";
}

TEST(Files, that_cannot_be_read_are_named_or_empty) {
  for (const std::string path : {"/nowhere/at/all", "/"}) {
    EXPECT_EQ(read_if_readable(path), "");
    try {
      read_file(path);
      ADD_FAILURE() << path;
    } catch (const std::system_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("read " + path));
    }
  }
}

TEST(Files, that_have_no_end_or_wait_for_a_writer_are_refused_at_once) {
  const testing_support::ResultFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder.file("zeros"));
  for (const auto* name : {"pipe", "zeros"}) {
    EXPECT_EQ(read_if_readable(folder.file(name)), "");
    EXPECT_THROW(read_file(folder.file(name)), std::system_error) << name;
  }
  std::ofstream(folder.file("long")) << "0123456789";
  EXPECT_THROW(read_open_file(open_regular(folder.file("long")).get(), "long", 9), std::system_error);
}

}  // namespace
}  // namespace ringmark
