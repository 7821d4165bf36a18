#include "sweeps/emit/pod_command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sweeps/pod_shell.hpp"

namespace ringmark::sweep {
namespace {

using testing::HasSubstr;
using testing_support::as_kubelet_gives;
using testing_support::run_as_pod;

std::vector<std::string> words_of(const PodSweep& sweep) { return as_kubelet_gives(pod_command(sweep)); }

PodSweep a_sweep(bool is_always_tried_again = false) {
  return {.run = {"ringmark-sweep", "run", "a sweep.yaml", "--label", "who=$(id)"},
          .more = {"--timeout", "60"},
          .results = "/results/first",
          .is_always_tried_again = is_always_tried_again};
}

TEST(PodCommand, begins_the_sweep_or_goes_on_with_it) {
  const auto words = words_of(a_sweep());
  EXPECT_EQ(words.back(), "/results/first");
  EXPECT_EQ(run_as_pod(words).output, "<run><a sweep.yaml><--label><who=$(id)><-o><FOLDER><--timeout><60>");
  EXPECT_EQ(run_as_pod(words, {{"journal", ""}}).output, run_as_pod(words).output) << "nothing was begun";
  EXPECT_EQ(run_as_pod(words, {{"journal", "begun"}}).output, "<resume><--other-hosts><FOLDER><--timeout><60>");
  auto without_more = a_sweep();
  without_more.more.clear();
  EXPECT_EQ(run_as_pod(words_of(without_more), {{"journal", "begun"}}).output, "<resume><--other-hosts><FOLDER>");
}

TEST(PodCommand, hides_dollars_from_kubernetes) {
  auto sweep = a_sweep();
  sweep.results = "/results/$(NAME) $((1))";
  const auto words = pod_command(sweep);
  EXPECT_EQ(words.back(), "/results/$$(NAME) $$((1))");
  EXPECT_THAT(words[2], HasSubstr("who=$$(id)"));
  EXPECT_EQ(words_of(sweep).back(), sweep.results);
}

TEST(PodCommand, ends_with_3_only_while_another_try_helps) {
  const std::map<std::string, std::string> stopped{{"manifest.json", R"({"how": "stopped: lost node 1"})"}},
      complete{{"manifest.json", R"({"how": "complete"})"}};
  for (const bool is_always_tried_again : {false, true}) {
    const auto words = words_of(a_sweep(is_always_tried_again));
    for (const int status : {0, 1, 2, 3, 4, 130}) {
      const auto result = run_as_pod(words, stopped, fmt::format("exit {}", status));
      const bool is_over = status == 1 || status == 2 || status == 4;
      EXPECT_EQ(result.status, is_over && is_always_tried_again ? 0 : status);
      EXPECT_EQ(result.output.find(fmt::format("exit status {}", status)) != std::string::npos,
                is_over && is_always_tried_again);
    }
    EXPECT_EQ(run_as_pod(words, {}, "exit 3").status, 3);
    EXPECT_EQ(run_as_pod(words, complete, "exit 3").status, is_always_tried_again ? 0 : 1);
    EXPECT_EQ(run_as_pod(words, complete, "exit 0").status, 0);
  }
}

TEST(PodCommand, lets_a_pod_that_is_stopped_end_its_sweep) {
  // The sweep stops its parent, the pod's first process, and needs a moment to end.
  const auto stopped =
      run_as_pod(words_of(a_sweep()), {},
                 "trap 'sleep 0.2; echo stopped; exit 143' TERM; kill -TERM $PPID; while :; do sleep 0.02; done");
  EXPECT_EQ(stopped.status, 143);
  EXPECT_THAT(stopped.output, HasSubstr("stopped"));
}

}  // namespace
}  // namespace ringmark::sweep
