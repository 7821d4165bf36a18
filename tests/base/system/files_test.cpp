#include "base/system/files.hpp"

#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ringmark
