// The recorder of NCCL's calls in an application, with fake libraries of NVIDIA's.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class Capture : public testing::Test {
 protected:
  ShellResult capture(const std::string& arguments, const std::string& before = "") {
    return run("LD_LIBRARY_PATH=" RINGMARK_FAKES " LD_PRELOAD=" RINGMARK_CAPTURE_LIBRARY " RINGMARK_CAPTURE=" +
               results_.path() + " " + before + " " RINGMARK_FAKES "/captured-application " + arguments);
  }
  ShellResult import() {
    return run(bin + "/ringmark-replay import " + results_.path() + "/*.capture.jsonl -o " +
               results_.file("step.jsonl"));
  }
  ResultFolder results_;
};

TEST_F(Capture, of_all_ranks_becomes_a_step_that_can_be_replayed) {
  const auto captured = capture("4 5");
  ASSERT_EQ(captured.status, 0) << captured.output;
  const auto imported = import();
  ASSERT_EQ(imported.status, 0) << imported.output;
  EXPECT_TRUE(has(imported.output, "5 rounds")) << imported.output;
  const auto shown = run(bin + "/ringmark-replay show --events " + results_.file("step.jsonl"));
  for (const std::string words : {"all_gather", "all_to_all", "all_reduce", "block2", "512", "2048"})
    EXPECT_TRUE(has(shown.output, words)) << words << shown.output;
  const auto replayed = run(bin + "/ringmark-replay run " + results_.file("step.jsonl") + " --ranks 4 -n 3");
  EXPECT_EQ(replayed.status, 0) << replayed.output;
}

TEST_F(Capture, survives_an_abort) {
  capture("2 4 abort");
  const auto imported = import();
  EXPECT_EQ(imported.status, 0) << imported.output;
}

TEST_F(Capture, ends_at_its_limit_and_the_application_goes_on) {
  const auto captured = capture("2 1500", "RINGMARK_CAPTURE_MB=1");
  EXPECT_EQ(captured.status, 0) << captured.output;
  EXPECT_TRUE(has(captured.output, "no longer recorded")) << captured.output;
  const auto imported = import();
  EXPECT_EQ(imported.status, 0) << imported.output;
}

TEST_F(Capture, makes_its_folder) {
  const auto folder = results_.file("new/calls");
  const auto captured = capture("2 5", "RINGMARK_CAPTURE=" + folder);
  EXPECT_EQ(captured.status, 0) << captured.output;
  const auto imported = run(bin + "/ringmark-replay import " + folder + "/*.capture.jsonl -o -");
  EXPECT_EQ(imported.status, 0) << imported.output;
}

TEST_F(Capture, into_a_folder_that_cannot_be_made_changes_nothing_else) {
  const auto captured = capture("2 1", "RINGMARK_CAPTURE=/proc/nowhere");
  EXPECT_EQ(captured.status, 0) << captured.output;
  EXPECT_TRUE(has(captured.output, "/proc/nowhere/")) << captured.output;
}

}  // namespace
}  // namespace ringmark
