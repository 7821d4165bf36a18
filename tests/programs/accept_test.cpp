// ringmark-accept on clusters in a box.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"
#include "tests/programs/browser.hpp"
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

  nlohmann::json soak_log() const {
    return nlohmann::json::parse(read_if_readable(results_.file("verdict/soak.json")), nullptr, false);
  }

  std::string rest_ = "launcher: mpich\narguments: {transport: tcp, max-time: 0.2}\nsize: 1M\nbudget: 60s\n";
  ResultFolder results_;
};

TEST_F(AcceptInLab, a_healthy_cluster_passes) {
  const auto result = run(in_lab("", words()), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(verdict()["outcome"], "pass");
  EXPECT_EQ(verdict()["rungs"].size(), 4U) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "");
}

TEST_F(AcceptInLab, a_slow_host_fails_and_is_to_be_drained) {
  const auto result = run(in_lab("--host-rate 1=150mbit", words()), 120);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "host-1\n") << result.output;
  EXPECT_EQ(verdict()["left_out"], (std::vector<std::string>{"together", "step"}));
}

TEST_F(AcceptInLab, a_slow_nic_of_a_rail_is_named_in_a_fabric_that_the_box_tells) {
  write("stages: [rails]\nlauncher: mpich\narguments: {transport: tcp, max-time: 0.04}\nsize: 64K\nbudget: 90s\n");
  const auto result = run(bin +
                              "/ringmark-lab run --leaves 2 --hosts-per-leaf 2 --rails 2 --rate 200mbit "
                              "--fault host-1-e1:rate=50mbit@0s -- " +
                              words(),
                          120);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "host-1\n") << result.output;
  EXPECT_EQ(verdict()["rungs"][0]["findings"][0]["part"], "rail 2 of host-1") << result.output;
  const auto page = read_if_readable(results_.file("verdict/verdict.html"));
  EXPECT_TRUE(has(page, "rail 2 of host-1"));
  if (const auto reason = why_no_browser(); !reason.empty()) GTEST_SKIP() << reason;
  const auto outcome = tried_in_browser(page, R"js(
    check("fail", document.getElementById("headline").textContent === "FAIL: rail 2 of host-1");
    const facts = [...document.querySelectorAll("#facts dd")].map((each) => each.textContent);
    check("hosts", facts.includes("host-[0-3] (4 hosts)"));
    check("topology", facts.some((fact) => fact.includes("2 leaves")));
    const texts = [...document.querySelectorAll("#rails svg.heat text")].map((each) => each.textContent);
    check("a name at each row and column", texts.filter((text) => /rail . of host/.test(text)).length === 16);
    check("a value for each pair of a rail", texts.filter((text) => /^[0-9.]+$/.test(text)).length === 24);
    check("the NIC is marked as sender and receiver", document.querySelectorAll("#rails svg.heat .named").length === 2);
    check("leaves and rails", document.querySelectorAll("#rails table.matrix").length === 2);
    check("the leaves with it are marked", document.querySelectorAll("#rails table.matrix td.marked").length >= 3);
  )js",
                                        results_);
  EXPECT_TRUE(has(outcome, "no problem: yes")) << outcome;
  EXPECT_FALSE(has(outcome, "NO")) << outcome << result.output;
}

TEST_F(AcceptInLab, a_link_that_goes_down_between_rounds_fails_whatever_the_rates_are) {
  write("stages: [nodes, links]\n" + rest_);
  const auto flap = "(" + until("[ -e " + results_.file("verdict/links-001.csv") + " ]") + "; " + bin +
                    "/ringmark-lab exec 2 -- sh -c \"ip link set e0 down; sleep 0.3; ip link set e0 up\")";
  const auto result = run(in_lab("", "bash -c '" + flap + " & " + words() + "'"), 120);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_TRUE(has(read_if_readable(results_.file("verdict/drain")), "host-2\n")) << result.output;
}

TEST_F(AcceptInLab, launches_reuse_the_algorithm_of_the_first_one) {
  write("stages: [together]\nexpect: {busbw_GBps: 0.001, algorithm: ring}\n" + rest_);
  const auto result = run(in_lab("", words()), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  const auto choices = read_if_readable(results_.file("verdict/algorithms.jsonl"));
  EXPECT_EQ(std::count(choices.begin(), choices.end(), '\n'), 1) << choices;
  EXPECT_TRUE(has(choices, "\"ring\"")) << choices;
}

TEST_F(AcceptInLab, a_rank_that_computes_slowly_is_named_by_the_step) {
  write("stages: [step]\nstep: {slow-down: 1=1.5}\n" + rest_);
  const auto result = run(in_lab("", words()), 120);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "host-1\n") << result.output;
}

TEST_F(AcceptInLab, a_soak_of_a_healthy_cluster_passes) {
  write("stages: [nodes]\n" + rest_);
  const auto result = run(in_lab("", words() + " --for 4s"), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(verdict()["rungs"][1]["outcome"], "pass") << result.output;
  const auto soak = soak_log();
  EXPECT_TRUE(soak["events"].empty()) << soak;
  EXPECT_FALSE(soak["rounds"].empty()) << soak;
  for (const auto& round : soak["rounds"]) EXPECT_TRUE(round["time_us"].is_number()) << soak;
}

TEST_F(AcceptInLab, a_soak_tells_a_link_that_went_down_and_came_back) {
  write("stages: [nodes]\n" + rest_);
  // The first stretch has been written down, and the ranks of the second are connected.
  const auto flap = "(" + until("[ -e " + results_.file("verdict/soak.json") + " ]") + "; " +
                    until("[ -s " + results_.file("verdict/soak.csv.part") + " ]") + "; " + bin +
                    "/ringmark-lab exec 2 -- sh -c \"ip link set e0 down; sleep 1; ip link set e0 up\")";
  const auto result = run(in_lab("", "bash -c '" + flap + " & " + words() + " --for 6s'"), 120);
  EXPECT_EQ(result.status, 1) << result.output;
  const auto soak = soak_log();
  EXPECT_EQ(soak["schema"], "soak/1");
  bool is_flap_told = false;
  for (const auto& event : soak["events"])
    is_flap_told |= event["kind"] == "flap" && event["parts"][0]["host"] == "host-2";
  EXPECT_TRUE(is_flap_told) << result.output << soak;
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
        ", '{hosts}', '{ranks}', '{command}']}\narguments: {transport: tcp, max-time: 0.2}\nsize: 128K\nbudget: 90s\n");
  const auto result = run(in_lab("", words()), 200);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "host-9\n") << result.output;
  ASSERT_EQ(verdict()["rungs"].size(), 2U) << result.output;
  // Where other processes take the cores, the rates may scatter too much for a pass within the budget.
  const auto links = verdict()["rungs"][1];
  EXPECT_NE(links["outcome"], "fail") << result.output;
  EXPECT_GE(links["rounds"], 3) << result.output;
  EXPECT_TRUE(links["findings"].empty()) << result.output;
}

/// It waits for host-9, as ssh does for one that is switched off.
constexpr auto launcher_that_waits_for_host_9 = R"sh(#!/bin/bash
hosts=$1 ranks=$2
shift 2
case $hosts in *host-9*) exec sleep 1000 ;; esac
exec mpirun.mpich -n "$ranks" -ppn 1 -hosts "$hosts" "$@"
)sh";

TEST_F(AcceptInLab, the_budget_bounds_the_time_also_with_a_host_that_is_switched_off) {
  std::ofstream(results_.file("launcher")) << launcher_that_waits_for_host_9;
  write("hosts: 'host-[0-2],host-9'\nlauncher: {command: [bash, " + results_.file("launcher") +
        ", '{hosts}', '{ranks}', '{command}']}\narguments: {transport: tcp, max-time: 0.2}\nbudget: 12s\n");
  const auto result = run(in_lab("", words()), 45);
  EXPECT_NE(result.status, 0) << result.output;
  EXPECT_TRUE(verdict().is_object()) << "the visit alone would take 60 s\n" << result.output;
}

TEST_F(AcceptInLab, goes_on_after_an_interrupt_with_what_was_measured) {
  const auto file = results_.file("verdict/links-001.csv");
  const auto begun = run(in_lab("", "bash -c '" + words() + " & " + until("[ -e " + file + " ]") +
                                        "; kill -TERM $!; wait $!; echo status $?'"),
                         120);
  EXPECT_TRUE(has(begun.output, "status 143")) << begun.output;
  const auto first = read_if_readable(file);
  ASSERT_NE(first, "");
  const auto result = run(in_lab("", words()), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(read_if_readable(file), first);
}

TEST_F(AcceptInLab, a_launcher_that_starts_nothing_is_no_verdict_on_the_hosts) {
  write("hosts: 'a,b,c'\nlauncher: {command: ['false', '{command}']}\n");
  const auto result = run(words());
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_EQ(read_if_readable(results_.file("verdict/drain")), "");
  write("hosts: 'a,b,c'\nlauncher: {command: ['false', '{command}']}\nbudget: 1h\n");
  EXPECT_EQ(run(words()).status, 3) << "another budget goes on in the same folder";
  write("hosts: 'a,b,c,d'\nlauncher: {command: ['false', '{command}']}\n");
  const auto other = run(words());
  EXPECT_EQ(other.status, 2) << "the folder is of other criteria";
  EXPECT_TRUE(has(other.output, "new folder")) << other.output;
}

TEST_F(AcceptInLab, bad_criteria_are_refused_before_anything_is_written) {
  for (const std::string rest : {"hosts: 'a,b'\n", "hosts: 'a,b,c'\narguments: {max-tme: 1}\n",
                                 "hosts: 'a,b,c'\narguments: {sizes: 1M}\n", "hosts: 'a,b,c'\nstages: []\n"}) {
    write(rest);
    const auto bad = run(words());
    EXPECT_EQ(bad.status, 2) << rest << bad.output;
    EXPECT_TRUE(has(bad.output, "criteria.yaml:")) << bad.output;
    EXPECT_EQ(run("[ -e " + results_.file("verdict") + " ]").status, 1) << rest;
  }
}

TEST(Accept, writes_into_a_folder_only) {
  const ResultFolder results;
  std::ofstream(results.file("criteria.yaml")) << "hosts: 'a,b,c'\n";
  std::ofstream(results.file("file")) << "mine";
  for (const std::string& output : {std::string("/dev/full"), results.file("file")}) {
    const auto result = run(bin + "/ringmark-accept " + results.file("criteria.yaml") + " -o " + output);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_TRUE(has(result.output, "is not a folder")) << result.output;
  }
  EXPECT_EQ(read_if_readable(results.file("file")), "mine");
}

}  // namespace
}  // namespace ringmark
