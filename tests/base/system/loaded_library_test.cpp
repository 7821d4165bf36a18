#include "base/system/loaded_library.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(LoadedLibrary, is_the_file_that_this_process_has) {
  const auto file = loaded_file("libc.so.6");
  EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  EXPECT_FALSE(std::filesystem::is_symlink(file)) << file;
  EXPECT_EQ(loaded_file("libringmark-absent.so.1"), "");
}

TEST(LoadedLibrary, has_a_version_at_the_end_of_its_name) {
  EXPECT_EQ(version_in_file_name("/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0"), "1.14.44.0");
  EXPECT_EQ(version_in_file_name("libcuda.so.580.95.05"), "580.95.05");
  EXPECT_EQ(version_in_file_name("/opt/libs.so.3/libnccl.so"), "");
  EXPECT_EQ(version_in_file_name(""), "");
}

}  // namespace
}  // namespace ringmark
