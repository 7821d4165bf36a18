#include "base/append_file.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "base/input/input.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

class AppendFileTest : public testing::Test {
 protected:
  std::size_t begun_after(const std::string& text) const {
    std::ofstream(path, std::ios::binary) << text;
    return AppendFile(path).begin("header\n");
  }
  std::string content() const { return whole_file(path, path); }

  testing_support::ResultFolder folder;
  std::string path = folder.file("a");
};

TEST_F(AppendFileTest, removes_an_unfinished_line_of_any_length) {
  for (const std::size_t length : {0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 100'000}) {
    const std::string rest(length, 'x');
    EXPECT_EQ(begun_after("whole\n" + rest), length);
    EXPECT_EQ(content(), "whole\n") << length;
    EXPECT_EQ(begun_after("\n" + rest), length);
    EXPECT_EQ(content(), "\n") << length;
    EXPECT_EQ(begun_after(rest), length);
    EXPECT_EQ(content(), "header\n") << length;
  }
}

TEST_F(AppendFileTest, keeps_whole_lines_of_any_length) {
  for (const std::size_t length : {4094, 4095, 4096, 100'000}) {
    const auto text = std::string(length, 'x') + "\n";
    EXPECT_EQ(begun_after(text), 0U);
    EXPECT_EQ(content(), text);
  }
}

}  // namespace
}  // namespace ringmark
