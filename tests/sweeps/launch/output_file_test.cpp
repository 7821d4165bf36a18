#include "sweeps/launch/output_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

TEST(OutputFile, leaves_nothing_whatever_ends_its_process) {
  const testing_support::ResultFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  const OutputFile output;
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  std::ofstream(output.path()) << std::string(300'000, 'x') << "the end";
  const auto end = output.end();
  EXPECT_EQ(end.size(), std::size_t{256} << 10U);
  EXPECT_TRUE(end.ends_with("xthe end"));
}

TEST(AskTool, answers_with_both_streams_and_whether_it_succeeded) {
  const auto good = ask_tool({"/bin/sh", "-c", "echo one; echo two >&2; echo"});
  EXPECT_TRUE(good.succeeded);
  EXPECT_EQ(good.text, "one\ntwo");
  const auto bad = ask_tool({"/bin/sh", "-c", "echo no; exit 3"});
  EXPECT_FALSE(bad.succeeded);
  EXPECT_EQ(bad.text, "no");
}

TEST(AskTool, that_fails_leaves_the_tools_of_other_processes_alone) {
  const testing_support::ResultFolder folder;
  const auto begun = folder.file("begun");
  const pid_t other = ::fork();
  if (other == 0) ::_exit(ask_tool({"/bin/sh", "-c", "touch " + begun + "; sleep 1"}).succeeded ? 0 : 1);
  while (!std::filesystem::exists(begun)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(ask_tool({"false"}).succeeded);
  int raw = -1;
  ASSERT_EQ(::waitpid(other, &raw, 0), other);
  EXPECT_EQ(raw, 0);
}

}  // namespace
}  // namespace ringmark::sweep
