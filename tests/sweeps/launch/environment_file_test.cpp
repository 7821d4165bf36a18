#include "sweeps/launch/environment_file.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;

TEST(EnvironmentFile, gives_a_shell_the_variables_and_nobody_else_a_look) {
  const ResultFolder folder;
  const auto path = folder.file("e");
  const std::string value = "it's \"two\"\nlines $HOME";
  {
    std::ofstream(path) << "left by another\n";
    fs::permissions(path, fs::perms::all);
    const EnvironmentFile file(path, {{"HIDDEN", value}, {"GONE", std::nullopt}});
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const auto line = "GONE=1; export GONE; . " + file.path() + "; printf '%s|%s' \"$HIDDEN\" \"${GONE-none}\"";
    FILE* shell = ::popen(line.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::array<char, 256> output{};
    EXPECT_GT(std::fread(output.data(), 1, output.size() - 1, shell), 0U);
    EXPECT_EQ(::pclose(shell), 0);
    EXPECT_EQ(std::string(output.data()), value + "|none");
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace ringmark::sweep
