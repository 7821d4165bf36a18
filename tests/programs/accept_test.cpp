// ringmark-accept on clusters in a box.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class AcceptInLab : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
    if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
    write("hosts: 'host-[0-2]'\n" + rest_);
  }
  void write(const std::string& text) const { std::ofstream(results_.file("criteria.yaml")) << text; }
  std::string words() const {
    return bin + "/ringmark-accept " + results_.file("criteria.yaml") + " -o " + results_.file("verdict");
  }
  static std::string in_lab(const std::string& options, const std::string& command) {
    return bin + "/ringmark-lab run --hosts 3 --rate 200mbit " + options + " -- " + command;
  }
  nlohmann::json verdict() const {
    return nlohmann::json::parse(read_if_readable(results_.file("verdict/verdict.json")), nullptr, false);
  }

  std::string rest_ = "launcher: mpich\narguments: {transport: tcp, max-time: 0.2}\nsize: 128K\nbudget: 60s\n";
  ResultFolder results_;
};

TEST_F(AcceptInLab, a_healthy_cluster_passes) {
  const auto result = run(in_lab("", words()), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(verdict()["outcome"], "pass");
  EXPECT_EQ(verdict()["rungs"].size(), 3U);
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "");
}

TEST_F(AcceptInLab, a_slow_host_fails_and_is_to_be_drained) {
  const auto result = run(in_lab("--host-rate 1=150mbit", words()), 120);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "host-1\n") << result.output;
  EXPECT_EQ(verdict()["left_out"], (std::vector<std::string>{"together"}));
}

/// Stands before the real mpirun: it cannot reach host-9, as ssh tells it.
constexpr auto launcher_without_host_9 = R"sh(#!/bin/bash
hosts=$1 ranks=$2
shift 2
case $hosts in *host-9*) echo "ssh: connect to host host-9: No route to host"; exit 255 ;; esac
exec mpirun.mpich -n "$ranks" -ppn 1 -hosts "$hosts" "$@"
)sh";

TEST_F(AcceptInLab, a_host_that_is_not_there_is_named_and_the_others_are_judged) {
  std::ofstream(results_.file("launcher")) << launcher_without_host_9;
  write("hosts: 'host-[0-2],host-9'\nlauncher: {command: [bash, " + results_.file("launcher") +
        ", '{hosts}', '{ranks}', '{command}']}\narguments: {transport: tcp, max-time: 0.2}\nsize: 128K\n");
  const auto result = run(in_lab("", words()), 200);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "host-9\n") << result.output;
  ASSERT_EQ(verdict()["rungs"].size(), 2U) << result.output;
  EXPECT_EQ(verdict()["rungs"][1]["outcome"], "pass") << result.output;
}

TEST_F(AcceptInLab, goes_on_after_an_interrupt_with_what_was_measured) {
  const auto begun = run(in_lab("", "timeout -s INT 8 " + words()), 120);
  EXPECT_NE(begun.status, 0) << begun.output;
  const auto first = read_if_readable(results_.file("verdict/links-001.csv"));
  const auto result = run(in_lab("", words()), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  if (!first.empty()) {
    EXPECT_EQ(read_if_readable(results_.file("verdict/links-001.csv")), first);
  }
}

TEST_F(AcceptInLab, other_criteria_and_bad_ones_are_refused_before_anything_starts) {
  EXPECT_EQ(run(in_lab("", "timeout -s INT 3 " + words()), 60).status == 0, false);
  write("hosts: 'host-[0-1]'\n");
  const auto bad = run(words());
  EXPECT_EQ(bad.status, 2) << bad.output;
  EXPECT_NE(bad.output.find("criteria.yaml:1"), std::string::npos) << bad.output;
  write("hosts: 'host-[0-2]'\nloss: 5 %\n" + rest_);
  const auto other = run(words());
  EXPECT_EQ(other.status, 2) << other.output;
  EXPECT_NE(other.output.find("new folder"), std::string::npos) << other.output;
}

}  // namespace
}  // namespace ringmark
