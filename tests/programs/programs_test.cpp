// The programs as a user runs them: exit statuses, messages, files; without mpirun, also in the lab.
#include <cstdlib>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/system/host.hpp"
#include "results/files/provenance.hpp"
#include "results/files/rank_hosts.hpp"
#include "tests/programs/programs_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(Programs, measure_the_three_collectives_and_write_the_contract) {
  for (const std::string program : {"all-reduce", "reduce-scatter", "all-gather"}) {
    const auto result = run(bin + "/ringmark-" + program + " --ranks 3 -b 1K -e 64K -f 8 -n 10 --csv " +
                            results_.file("r.csv") + " --samples " + results_.file("s.jsonl"));
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(has(result.output, "# Out of bounds values : 0 OK")) << result.output;
  }
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 18U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.network, Network::tcp);
    EXPECT_EQ(row.ranks, 3);
    EXPECT_EQ(row.nodes, 1);
  }
}

TEST_F(Programs, send_unequal_blocks_in_groups_at_once) {
  std::ofstream(results_.file("counts.csv")) << "0,70000,1\n3,0,0\n50000,4,8\n";
  const auto measure = [&](const std::string& program, const std::string& flags) {
    const auto result = run(bin + "/ringmark-" + program + " -n 5 --csv " + results_.file("r.csv") + " " + flags);
    EXPECT_EQ(result.status, 0) << flags << ": " << result.output;
  };
  measure("all-to-all", "--ranks 3 --counts " + results_.file("counts.csv"));
  measure("all-to-all", "--ranks 4 --sizes 64K --counts experts:8,2,1 --groups tp:2,dp");
  // A matrix for the ranks of a group is too small for all ranks.
  std::ofstream(results_.file("pairs.csv")) << "0,400\n800,0\n";
  measure("all-to-all", "--ranks 5 --counts " + results_.file("pairs.csv") + " --groups '0,1;2,3'");
  measure("reduce-scatter", "--ranks 3 --sizes 64K --counts skew:1 --in-place yes");
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 1U + 6 + 3 + 1);
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_EQ(row.network, Network::tcp);
    EXPECT_NE(row.settings.counts, "");
    EXPECT_EQ(row.settings.version, version());
    // The row of all groups is in terms of one of them, but of all ranks.
    const bool is_of_all = !row.settings.group.empty() && row.settings.members.empty();
    const auto hosts = parse_rank_hosts(row.settings.hosts);
    EXPECT_EQ(hosts, std::vector(is_of_all ? hosts.size() : static_cast<std::size_t>(row.ranks), host_name()));
  }
  EXPECT_EQ(rows[0].size_bytes, (0U + 17'500 + 0 + 0 + 12'500 + 1 + 2) / 3 * 4);
  EXPECT_EQ(rows[1].settings.group, "tp0");
  EXPECT_EQ(rows[6].settings.group, "dp");
  EXPECT_EQ(rows[9].size_bytes, 600U);
}

TEST_F(Programs, refuse_bad_counts_and_groups_with_status_2) {
  std::ofstream(results_.file("counts")) << "1 2\n3 4\n";
  const auto file = results_.file("counts");
  for (const auto& flags : std::vector<std::string>{"--counts skew:x", "--counts " + file, "--groups tp:2,dp",
                                                    "--groups 0-3", "--counts " + file + " --sizes 8"}) {
    const auto result = run(bin + "/ringmark-all-to-all --ranks 3 " + flags);
    EXPECT_EQ(result.status, 2) << flags << ": " << result.output;
    EXPECT_TRUE(has(result.output, "ringmark: ") || has(result.output, "--")) << result.output;
  }
}

TEST_F(Programs, refuse_bad_input_with_status_2_before_anything_starts) {
  for (const std::string flags : {"-d float31", "--transport udp", "-b 2M -e 1M", "-f 1", "--iters 0", "--sizes 10",
                                  "-e 99999999999999999999", "--csv /no/such/folder/x.csv", "--set tcp.interface=ib9",
                                  "-b 4T -e 4T", "--sizes 8388608T -d uint8", "--set tcp.congestion=warp"}) {
    const auto result = run(bin + "/ringmark-all-reduce --ranks 2 " + flags);
    EXPECT_EQ(result.status, 2) << flags << ": " << result.output;
    EXPECT_TRUE(has(result.output, "ringmark: ")) << result.output;
    EXPECT_FALSE(has(result.output, "#       size")) << "something was started: " << result.output;
  }
  EXPECT_EQ(run(bin + "/ringmark-all-reduce").status, 2) << "neither mpirun nor --ranks";
  const auto result = run(bin + "/ringmark-all-reduce --ranks 2 --set tcp.interface=ib9");
  EXPECT_TRUE(has(result.output, "tcp.interface=ib9") && has(result.output, "lo (127.0.0.1/8)")) << result.output;
}

TEST_F(Programs, say_with_status_4_what_cannot_be_used_here) {
  EXPECT_EQ(run(bin + "/ringmark-all-reduce --ranks 2 --transport mpi").status, 4);
  EXPECT_EQ(run("CUDA_VISIBLE_DEVICES= " + bin + "/ringmark-all-reduce --ranks 2 --transport nccl").status, 4);
  const auto nothing = run(bin + "/ringmark-all-gather --ranks 3 --sizes 8");
  EXPECT_EQ(nothing.status, 4) << nothing.output;
  EXPECT_TRUE(has(nothing.output, "nothing was measured")) << nothing.output;
  const auto list = run(bin + "/ringmark-all-reduce --list");
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(has(list.output, "tcp    yes") && has(list.output, "mpi    no: ")) << list.output;
}

TEST_F(Programs, answer_questions) {
  EXPECT_TRUE(has(run(bin + "/ringmark-all-reduce --help").output, "--step-factor"));
  EXPECT_TRUE(has(run(bin + "/ringmark-all-reduce --version").output, "ringmark "));
  EXPECT_TRUE(has(run(bin + "/ringmark-all-reduce --list-options").output, "tcp.sockets"));
  const auto explained = run(bin + "/ringmark-all-gather --explain --ranks 4 --algorithm ring --sizes 64");
  EXPECT_TRUE(has(explained.output, "rank 3 sends 48 B") && has(explained.output, "step 2: send chunk"))
      << explained.output;
  const auto two_level = bin + "/ringmark-all-reduce --explain --ranks 4 --algorithm two_level --sizes 64";
  EXPECT_NE(run(two_level).output, run(two_level + " --ranks-per-node 2").output);
}

TEST_F(Programs, choose_by_the_crossover_that_they_are_given) {
  const auto all_reduce = bin + "/ringmark-all-reduce --ranks 4 --sizes 64K --in-place no --set tcp.crossover=";
  for (const std::string crossover : {"1K", "1M"}) {
    const auto measured = run(all_reduce + crossover + " -n 2 --csv " + results_.file("c.csv"));
    EXPECT_EQ(measured.status, 0) << measured.output;
    EXPECT_FALSE(has(measured.output, "# link: ")) << measured.output;
    const auto chosen = results_.records("c.csv").back().algorithm_used;
    EXPECT_EQ(chosen, crossover == "1K" ? "halving_doubling" : "recursive_doubling");
    const auto explained = run(all_reduce + crossover + " --explain --ranks-per-node 4").output;
    EXPECT_TRUE(has(explained, chosen + " all_reduce: 4 ranks")) << explained;
  }
  for (const std::string algorithm : {"auto", "ring"}) {
    const auto measured = run(bin + "/ringmark-all-reduce --ranks 2 --sizes 64K -n 2 --algorithm " + algorithm);
    EXPECT_TRUE(has(measured.output, "# link: ")) << measured.output;
    EXPECT_TRUE(has(measured.output, "# slices: ")) << measured.output;
  }
  const auto cut = run(bin + "/ringmark-all-reduce --ranks 2 --sizes 64K -n 2 --set tcp.slice=4K");
  EXPECT_TRUE(has(cut.output, "# slices: from 4K")) << cut.output;
}

TEST_F(Programs, that_outnumber_cores_keep_to_one_each) {
  const auto all_reduce = "taskset -c 0 " + bin + "/ringmark-all-reduce --ranks 2 --sizes 64,4M -n 5";
  const auto seated = run(all_reduce);
  EXPECT_EQ(seated.status, 0) << seated.output;
  EXPECT_TRUE(has(seated.output, "; 2 ranks are pinned")) << seated.output;
  const auto free = run(all_reduce + " --set tcp.pin=none");
  EXPECT_EQ(free.status, 0) << free.output;
  EXPECT_TRUE(has(free.output, "# cores: 1 for 2 ranks")) << free.output;
}

TEST_F(Programs, a_killed_rank_is_named_by_all_others) {
  // Its time-out is beyond that of run(): only the loss can end it.
  const auto rows = results_.file("k.csv");
  const auto result = run(bin + "/ringmark-all-reduce --ranks 3 --sizes 1K,64M -n 2000 --in-place no --timeout 1000 " +
                          "--csv " + rows + " & " + until_rows(rows, 1) + "; " + kill_rank_1 + "; wait $!");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "rank 0 on") && has(result.output, "rank 2 on")) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1 on")) << result.output;
  ASSERT_EQ(results_.records("k.csv").size(), 2U);
  EXPECT_EQ(results_.records("k.csv")[0].status, Status::ok);
  EXPECT_EQ(results_.records("k.csv")[1].status, Status::failed);
}

TEST_F(Programs, a_full_disk_ends_all_ranks_at_once_and_is_named) {
  const auto result = run(bin + "/ringmark-all-reduce --ranks 3 --sizes 8 -n 5 --csv /dev/full");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_TRUE(has(result.output, "rank 0 on") && has(result.output, "/dev/full")) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 0")) << result.output;
}

TEST_F(Programs, an_interrupted_run_leaves_no_ranks_and_whole_rows) {
  // With job control the run is a process group of its own, which Ctrl-C reaches as a whole.
  const auto rows = results_.file("i.csv");
  const auto result =
      run("set -m; " + bin + "/ringmark-all-reduce --ranks 3 --sizes 1K,64M -n 2000 --in-place no " + "--csv " + rows +
          " >/dev/null & " + until_rows(rows, 1) + "; kill -INT -$!; wait $!; echo status $?; " +
          until("! pgrep -f ^" + bin + "/ringmark-all-reduce.*" + rows + " >/dev/null") + "; echo none left");
  EXPECT_TRUE(has(result.output, "status 130")) << result.output;
  EXPECT_TRUE(has(result.output, "none left")) << result.output;
  ASSERT_EQ(results_.records("i.csv").size(), 1U);
  EXPECT_EQ(results_.records("i.csv")[0].status, Status::ok);
}

TEST_F(Programs, link_measures_every_pair) {
  // A loopback of its own: other tests run beside this one, and the counters are the interface's.
  const auto alone = why_no_lab().empty() ? bin + "/ringmark-lab run --hosts 1 -- " : "";
  const auto result =
      run(alone + bin + "/ringmark-link --ranks 3 --pairs all --test all -n 10 --csv " + results_.file("l.csv"));
  EXPECT_EQ(result.status, 0) << result.output;
  const auto rows = results_.records("l.csv");
  ASSERT_EQ(rows.size(), 18U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.schema, Schema::link);
    EXPECT_EQ(row.wrong_elements, 0U);
    ASSERT_TRUE(row.link);
    EXPECT_NE(row.link->source, row.link->destination);
    EXPECT_EQ(row.timing, row.collective == LinkTest::bandwidth ? Timing::batch : Timing::each);
    if (row.collective != LinkTest::bandwidth) continue;
    EXPECT_GE(static_cast<double>(*row.wire_bytes), 1.00 * static_cast<double>(row.size_bytes));
    if (alone.empty()) continue;
    EXPECT_LE(static_cast<double>(*row.wire_bytes), 1.08 * static_cast<double>(row.size_bytes));
  }
}

TEST_F(Programs, a_rank_that_dies_in_a_scan_is_named_and_all_other_links_are_measured) {
  const auto rows_file = results_.file("d.csv");
  const auto result =
      run(bin + "/ringmark-link --ranks 5 --pairs all --test bandwidth --sizes 64K --max-time 0.3 --csv " + rows_file +
          " & " + until_rows(rows_file, 4) + "; " + kill_rank_1 + "; wait $!; echo status $?");
  EXPECT_TRUE(has(result.output, "status 3")) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1")) << result.output;
  const auto rows = results_.records("d.csv");
  EXPECT_EQ(rows.size(), 20U) << "every link of the plan has its row";
  std::set<std::pair<int, int>> others, lost;
  for (const auto& row : rows) {
    const auto& [source, destination] = row.link.value();
    const bool has_rank_1 = source == 1 || destination == 1;
    if (row.status == Status::ok && !has_rank_1) others.emplace(source, destination);
    if (row.status != Status::ok) {
      EXPECT_TRUE(has_rank_1) << row.detail;
      lost.emplace(source, destination);
    }
  }
  EXPECT_EQ(others.size(), 12U);
  EXPECT_GE(lost.size(), 1U);
}

TEST_F(Programs, a_rest_counts_for_the_time_limit) {
  const auto result = run(bin + "/ringmark-link --ranks 2 --test burst --max-time 0.3 --csv " + results_.file("b.csv"));
  EXPECT_EQ(result.status, 0) << result.output;
  const auto rows = results_.records("b.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].stop_reason, StopReason::time);
  EXPECT_LE(rows[0].samples, 50) << "of messages that take far less than the rests between them";
}

TEST_F(Programs, the_time_limit_is_for_a_wait_and_not_for_an_operation) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  // Each all-reduce takes 1.7 s at this rate.
  const auto result = run(bin +
                          "/ringmark-lab run --hosts 1 -- bash -c 'tc qdisc add dev lo root tbf rate 40mbit "
                          "burst 256kb limit 16mb; exec " +
                          bin + "/ringmark-all-reduce --ranks 2 --sizes 8M -n 1 -w 0 --timeout 1 --in-place no'");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace ringmark
