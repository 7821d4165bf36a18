// ringmark-sweep as a user runs it, with a fake in place of mpirun and of what it starts: launches take milliseconds
// and fail on demand. sweep_launchers_test.cpp has the real ones.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/files.hpp"
#include "results/files/provenance.hpp"
#include "tests/programs/sweep_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(Sweeps, hundreds_of_kills_at_any_moment_lose_and_repeat_nothing) {
  const auto file = write_sweep("variables: {iters: {from: 1, to: 60, step: 1}}\nrepetitions: 6\n");
  ASSERT_EQ(run(sweep("run " + file + " -o " + folder("calm"))).status, 0);
  const auto expected = rows_in("calm");
  ASSERT_EQ(expected.size(), 360U);
  // At first so short that a fast machine does not get through with a few kills.
  const int kills = kills_until_it_ends("stormy", sweep("run " + file + " -o " + folder("stormy")), 5, 10, 10);
  EXPECT_GT(kills, 100);
  EXPECT_EQ(rows_in("stormy"), expected);
  EXPECT_EQ(run(sweep("resume " + folder("stormy"))).status, 0) << "resuming what is complete changes nothing";
  EXPECT_EQ(rows_in("stormy"), expected);
  RecordProperty("kills", kills);
}

TEST_F(Sweeps, a_launcher_that_waits_for_a_lost_host_is_ended_long_before_the_deadline) {
  const auto file = write_sweep("variables: {FAULT: [stuck]}\ndeadline: 1h\ngrace: 100ms\n");
  const auto ran = run("timeout 60 " + sweep("run " + file + " -o " + folder("f")));
  EXPECT_NE(ran.status, 124) << ran.output;
  const auto rows = results_.records("f/results.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, Status::failed);
  EXPECT_TRUE(has(rows[0].detail, "gone")) << rows[0].detail;
}

TEST_F(Sweeps, faults_become_rows_and_a_hopeless_setting_is_given_up) {
  const auto file = write_sweep(
      "variables: {FAULT: [unset, hang, crash, unsupported]}\nrepetitions: 5\ndeadline: 5s\n"
      "grace: 100ms\nhosts: [a, b]\nranks_per_node: 2\n");
  const auto result = run(sweep("run " + file + " -o " + folder("f")));
  EXPECT_EQ(result.status, 3) << result.output;
  std::map<std::string, std::vector<Record>> by_fault;
  for (const auto& record : results_.records("f/results.csv")) by_fault[record.extra.at("FAULT")].push_back(record);
  for (const auto& [fault, records] : by_fault) EXPECT_EQ(records.size(), 5U) << fault;
  for (const auto& record : by_fault["unset"]) EXPECT_EQ(record.status, Status::ok);
  for (const auto& record : by_fault["unsupported"]) {
    EXPECT_EQ(record.status, Status::unsupported);
    EXPECT_TRUE(has(record.detail, "no warp drive")) << record.detail;
  }
  for (const std::string fault : {"hang", "crash"}) {
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& record = by_fault[fault][i];
      EXPECT_EQ(record.settings.hosts, "a*2,b*2");
      EXPECT_EQ(record.settings.version, version());
      EXPECT_EQ(record.status, i < 3 && fault == "hang" ? Status::timeout : Status::failed);
      const std::string why = i >= 3            ? "not tried again: it failed 3 times in the same way"
                              : fault == "hang" ? "ended at its deadline of 5 s"
                                                : "killed by signal 11: about to crash";
      EXPECT_TRUE(has(record.detail, why)) << record.detail;
    }
  }
  EXPECT_EQ(processes_of("f"), 0) << "also none that left its process group and ignores TERM";
  EXPECT_TRUE(has(result.output, "failed launches: 10")) << result.output;
  // Each row leads to its launch's output.
  const auto& crash = by_fault["crash"][0];
  const auto launch = crash.launch.value();
  EXPECT_TRUE(has(read_file(folder("f") + fmt::format("/logs/{:06}.log", launch)), "about to crash"));
}

TEST_F(Sweeps, a_cluster_that_is_down_stops_the_sweep_and_is_no_result) {
  const auto file = write_sweep("variables: {iters: {from: 1, to: 20, step: 1}}\n");
  const auto down = results_.file("down");
  make_file(down);
  const auto at_once = run(sweep("run " + file + " -o " + folder("d")));
  EXPECT_EQ(at_once.status, 3);
  EXPECT_TRUE(has(at_once.output, "No route to host") && has(at_once.output, "resume " + folder("d")))
      << at_once.output;
  std::filesystem::remove(down);
  // And in the middle of it.
  make_file(results_.file("outage"));
  const auto later = run(sweep("resume " + folder("d")));
  EXPECT_EQ(later.status, 3);
  EXPECT_TRUE(has(later.output, "on all nodes") && has(later.output, "lost rank 2 on b: its connection closed"))
      << later.output;
  EXPECT_FALSE(has(later.output, "assert failed")) << later.output;
  std::filesystem::remove(down);
  EXPECT_EQ(run(sweep("resume " + folder("d"))).status, 0);
  const auto rows = rows_in("d");
  EXPECT_EQ(rows.size(), 20U);
  for (const auto& row : rows) EXPECT_EQ(row.status, Status::ok);
}

TEST_F(Sweeps, an_interrupt_keeps_what_was_done_and_leaves_nothing_running) {
  const auto file = write_sweep("variables: {FAULT: [unset, slow]}\norder: listed\n");
  make_file(results_.file("hold"));
  const auto result = run("set -m; " + sweep("run " + file + " -o " + folder("i")) + " & " +
                          wait_for(folder("i") + "/logs/000002.log") + "; kill -INT $!; wait $!; echo status $?");
  EXPECT_TRUE(has(result.output, "status 130")) << result.output;
  EXPECT_TRUE(has(result.output, "ringmark-sweep resume " + folder("i"))) << result.output;
  EXPECT_EQ(rows_in("i").size(), 1U);
  EXPECT_EQ(processes_of("i"), 0);
  const auto manifest = nlohmann::json::parse(read_file(folder("i") + "/manifest.json"));
  EXPECT_EQ(manifest["sittings"][0]["how"], "interrupted");
  std::filesystem::remove(results_.file("hold"));
  EXPECT_EQ(run(sweep("resume " + folder("i"))).status, 0);
  EXPECT_EQ(rows_in("i").size(), 2U);
}

TEST_F(Sweeps, one_folder_has_one_runner) {
  const auto file = write_sweep("variables: {FAULT: [slow]}\n");
  make_file(results_.file("hold"));
  const auto result =
      run(sweep("run " + file + " -o " + folder("t")) + " & " + wait_for(folder("t") + "/logs/000001.log") + "; " +
          sweep("resume " + folder("t")) + "; echo second $?; rm " + results_.file("hold") + "; wait");
  EXPECT_TRUE(has(result.output, "another runner") && has(result.output, "second 2")) << result.output;
  EXPECT_EQ(rows_in("t").size(), 1U);
}

TEST_F(Sweeps, simultaneous_starts_into_one_folder_begin_it_once) {
  const auto file = write_sweep("");
  constexpr int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    const auto x = folder(fmt::format("x{}", round));
    const auto result = run("for i in 1 2 3 4 5 6 7 8; do " + sweep("run " + file + " -o " + x) +
                            " >/dev/null 2>&1 & pids=\"$pids $!\"; done; for p in $pids; do wait $p; echo =$?; done");
    std::istringstream lines(result.output);
    std::multiset<std::string> statuses;
    for (std::string line; std::getline(lines, line);) statuses.insert(line);
    EXPECT_EQ(statuses.count("=0"), 1U) << result.output;
    EXPECT_EQ(statuses.count("=2"), 7U) << result.output;
    const auto again = run(sweep("resume " + x));
    ASSERT_EQ(again.status, 0) << again.output << read_if_readable(x + "/journal");
    EXPECT_EQ(results_.records(fmt::format("x{}/results.csv", round)).size(), 1U);
  }
}

TEST_F(Sweeps, resuming_a_copy_leaves_the_launches_of_the_original_alone) {
  const auto file = write_sweep("variables: {FAULT: [slow, unset]}\norder: listed\n");
  make_file(folder("hold"));
  const auto is_launched = [&](const char* name) { return until("[ -e " + folder(name) + "/logs/000001.log ]"); };
  const auto result = run(sweep("run " + file + " -o " + folder("one")) + " & one=$!; " + is_launched("one") +
                          "; sleep 0.3; cp -r " + folder("one") + " " + folder("two") + "; rm " + folder("two") +
                          "/logs/000001.log; " + sweep("resume " + folder("two")) + " & two=$!; " + is_launched("two") +
                          "; sleep 0.3; rm " + folder("hold") + "; wait $one; echo one=$?; wait $two; echo two=$?");
  EXPECT_TRUE(has(result.output, "one=0")) << result.output;
  EXPECT_TRUE(has(result.output, "two=0")) << result.output;
  for (const auto* name : {"one", "two"}) {
    for (const auto& row : rows_in(name)) EXPECT_EQ(row.status, Status::ok) << name;
  }
}

TEST_F(Sweeps, ranks_get_an_environment_that_no_argument_shows) {
  std::ofstream(results_.file("tell")) << R"sh(#!/bin/bash
here=$(dirname "$0")
printf '%s\n' "$@" >>"$here/words"
"${@:1:4}" sh -c 'echo "[$HIDDEN]"' >>"$here/seen"
exec "$here/fake" "$@"
)sh";
  std::filesystem::permissions(results_.file("tell"), std::filesystem::perms::owner_all);
  auto text = read_file(write_sweep("environment: {HIDDEN: s3cret}\n"));
  text.replace(text.find(results_.file("fake")), results_.file("fake").size(), results_.file("tell"));
  std::ofstream(results_.file("told.yaml")) << text;
  const auto result = run(sweep("run " + results_.file("told.yaml") + " -o " + folder("told")));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(read_file(results_.file("seen")), "[s3cret]\n[s3cret]\n");  // describing the node, and the launch
  EXPECT_FALSE(has(read_file(results_.file("words")), "s3cret"));
  EXPECT_EQ(run("ls " + folder("told") + "/logs | grep environment").output, "");
}

TEST_F(Sweeps, a_full_disk_and_a_read_only_folder_stop_it_and_it_goes_on_afterwards) {
  if (run("unshare -rm true").status != 0) GTEST_SKIP() << "no mount namespaces here (unshare -rm fails)";
  const auto file = write_sweep("variables: {iters: {from: 1, to: 200, step: 1}}\n");
  std::filesystem::create_directories(folder("disk"));
  const auto disk = folder("disk"), there = disk + "/s";
  const auto result =
      run("unshare -rm bash -c 'mount -t tmpfs -o size=60k none " + disk + " && " +
          sweep("run " + file + " -o " + there) + "; echo full $?; mount -o remount,ro " + disk + "; " +
          sweep("resume " + there) + "; echo read-only $?; mount -o remount,rw,size=10m " + disk + "; " +
          sweep("resume " + there) + "; echo roomy $?; cp -r " + there + " " + folder("copy") + "'");
  EXPECT_TRUE(has(result.output, "full 3") && has(result.output, "No space left")) << result.output;
  EXPECT_TRUE(has(result.output, "read-only 3") && has(result.output, "Read-only file system")) << result.output;
  EXPECT_TRUE(has(result.output, "roomy 0")) << result.output;
  const auto rows = rows_in("copy");
  EXPECT_EQ(rows.size(), 200U);
  for (const auto& row : rows) EXPECT_EQ(row.status, Status::ok);
}

TEST_F(Sweeps, tuning_goes_on_where_it_was_killed_and_writes_files_to_use) {
  const auto file = write_sweep(
      "variables: {iters: {from: 1, to: 30, step: 1}, UCX_TLS: [unset, tcp]}\n"
      "arguments: {sizes: 1K}\ntune: {objective: 1K, budget: {launches: 40}, verify: 3}\n");
  ASSERT_EQ(run(sweep("tune " + file + " -o " + folder("calm"))).status, 0);
  const auto tried = read_file(folder("calm") + "/tried.csv");
  EXPECT_GT(kills_until_it_ends("stormy", sweep("tune " + file + " -o " + folder("stormy")), 20, 80, 3), 0);
  EXPECT_EQ(read_file(folder("stormy") + "/tried.csv"), tried);
  EXPECT_EQ(rows_in("stormy"), rows_in("calm"));
  // All launches took the same time, so the default stays.
  EXPECT_TRUE(has(read_file(folder("calm") + "/best.env"), "unset UCX_TLS\n"));
  EXPECT_TRUE(has(read_file(folder("calm") + "/best.env"), "# Keep the default"))
      << read_file(folder("calm") + "/best.env");
}

TEST_F(Sweeps, the_documented_example_can_be_planned) {
  const auto text = read_file(RINGMARK_SOURCE_DIR "/docs/guide/sweeps.md");
  const auto begin = text.find("```yaml\n") + 8;
  std::ofstream(results_.file("doc.yaml")) << text.substr(begin, text.find("```", begin) - begin);
  const auto plan = run(sweep("run --dry-run " + results_.file("doc.yaml")));
  EXPECT_EQ(plan.status, 0) << plan.output;
}

TEST_F(Sweeps, shipped_ones_are_listed_with_their_questions_and_can_be_planned) {
  const auto listing = run(sweep("list " RINGMARK_SOURCE_DIR "/sweeps"));
  EXPECT_EQ(listing.status, 0);
  int sweeps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RINGMARK_SOURCE_DIR "/sweeps")) {
    if (entry.path().extension() != ".yaml") continue;
    ++sweeps;
    EXPECT_TRUE(has(listing.output, entry.path().filename())) << listing.output;
    const auto plan = run(sweep("run --dry-run " + entry.path().string()));
    EXPECT_EQ(plan.status, 0) << entry.path() << plan.output;
    EXPECT_TRUE(has(plan.output, " launches of ")) << plan.output;
  }
  EXPECT_GE(sweeps, 9);
}

}  // namespace
}  // namespace ringmark
