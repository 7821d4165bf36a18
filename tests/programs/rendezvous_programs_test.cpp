// The programs without MPI: ranks that a shell loop, torchrun or Slurm starts, on one host and on several.
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "tests/programs/torchrun.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using namespace std::string_literals;

/// `free_port FIRST LAST` sets $port to one that no socket of this host has.
const std::string free_port =
    "ports() { cat /proc/net/tcp /proc/net/tcp6 2>/dev/null; }; free_port() { "
    "while port=$(shuf -i $1-$2 -n 1); ports | grep -q \":$(printf %04X $port) \"; do :; done; }; ";

class WithoutMpi : public testing::Test {
 protected:
  /// Starts `command` once for each rank, as a script would that knows torchrun's variables.
  static std::string loop(int ranks, const std::string& command) {
    return "for r in $(seq 0 " + std::to_string(ranks - 1) + "); do RANK=$r WORLD_SIZE=" + std::to_string(ranks) +
           " MASTER_ADDR=127.0.0.1 MASTER_PORT=$port " + command + " & done; wait";
  }
  static std::string with_port(const std::string& line) { return free_port + "free_port 20000 29999; " + line; }

  ResultFolder results_;
};

TEST_F(WithoutMpi, a_shell_loop_starts_the_ranks) {
  const auto result =
      run(with_port(loop(3, bin + "/ringmark-all-reduce --sizes 64K -n 5 --csv " + results_.file("r.csv"))));
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 2U) << result.output;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.ranks, 3);
  }
  EXPECT_TRUE(has(result.output, "without a secret")) << result.output;
}

TEST_F(WithoutMpi, rank_0_names_a_rank_that_comes_late) {
  const auto late = run(
      with_port(loop(2, "bash -c '[ $RANK = 1 ] && sleep 7; exec " + bin + "/ringmark-all-reduce --sizes 1K -n 3'")));
  EXPECT_TRUE(has(late.output, "waiting for rank 1 (")) << late.output;
  EXPECT_TRUE(has(late.output, "Avg bus bandwidth")) << late.output;
  const auto late_rank_0 = run(
      with_port(loop(3, "bash -c '[ $RANK = 0 ] && sleep 7; exec " + bin + "/ringmark-all-reduce --sizes 1K -n 3'")));
  EXPECT_TRUE(has(late_rank_0.output, "waiting for rank 0 at 127.0.0.1 port ")) << late_rank_0.output;
}

TEST_F(WithoutMpi, hosts_of_a_lab_meet_with_a_secret) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("loop.sh"))
      << "for program in all-reduce reduce-scatter all-gather; do\n"
      << "  for r in 0 1 2 3; do\n"
      << "    " << bin << "/ringmark-lab exec $r -- env RINGMARK_TOKEN=a-secret " << bin
      << "/ringmark-$program --rendezvous host-0:29500 --rank $r --ranks 4 --sizes 256K -n 5 --csv "
      << results_.file("r.csv") << " &\n"
      << "  done\n  wait\ndone\n";
  const auto result = run(bin + "/ringmark-lab run --hosts 4 --rate 1gbit -- bash " + results_.file("loop.sh"));
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 6U) << result.output;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.ranks, 4);
    EXPECT_EQ(row.nodes, 4);
  }
  EXPECT_TRUE(has(result.output, "with a secret")) << result.output;
}

/// Ranks on hosts of a lab, one on each, after `before` has changed the network. Their output.
std::string ranks_after(const std::string& before, int ranks, const std::string& flags, const ResultFolder& results) {
  std::ofstream(results.file("ranks.sh"))
      << before << "\nfor r in $(seq 0 " << ranks - 1 << "); do " << bin << "/ringmark-lab exec $r -- " << bin
      << "/ringmark-all-reduce --rendezvous host-0:29500 --rank $r --ranks " << ranks << " " << flags
      << " & done; wait\n";
  return run(bin + "/ringmark-lab run --hosts " + std::to_string(ranks) + " --rate 1gbit -- bash " +
             results.file("ranks.sh"))
      .output;
}

/// What `host` does with the packets with which host-1 opens connections to it.
std::string firewall(const std::string& host, const std::string& action) {
  return bin + "/ringmark-lab exec " + host +
         " -- nft 'add table inet f; add chain inet f in { type filter hook input priority 0; }; add rule inet f in ip "
         "saddr 10.77.0.2 tcp flags syn / syn,ack " +
         action + "'\n";
}

TEST_F(WithoutMpi, a_firewall_in_one_direction_is_named_by_all_ranks) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  if (run("nft --version").status != 0) GTEST_SKIP() << "there is no nft";
  // Where host-1 needs 3 s to open a connection to host-3, rank 3 hears of the loss from rank 0 alone.
  const std::string reset = "reject with tcp reset", late_to_3 = firewall("3", "numgen inc mod 3 < 2 drop");
  for (const auto& [action, late] : {std::pair{reset, ""s}, {"drop"s, ""s}, {reset, late_to_3}}) {
    const auto output = ranks_after(firewall("2", action) + late, 4, "--sizes 64K -n 5 --timeout 8", results_);
    for (const std::string rank : {"0", "1", "2", "3"})
      EXPECT_TRUE(has(output, "rank " + rank + " on host-" + rank + ": lost the link host-1 to host-2: ")) << output;
    EXPECT_TRUE(has(output, "connections from host-1 to host-2")) << output;
    EXPECT_FALSE(has(output, "lost rank")) << output;
  }
}

TEST_F(WithoutMpi, hosts_with_another_mtu_than_their_switch_meet_and_name_the_mtu) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  const auto output =
      ranks_after("for h in 0 1; do " + bin + "/ringmark-lab exec $h -- ip link set e0 mtu 9000 gso_max_segs 1; done",
                  2, "--sizes 64K -n 5 --timeout 60", results_);
  for (const std::string rank : {"0", "1"})
    EXPECT_TRUE(has(output, "rank " + rank + " on host-" + rank + ": lost the link host-0 to host-1: ")) << output;
  EXPECT_TRUE(has(output, "MTU") && has(output, "9000")) << output;
}

TEST_F(WithoutMpi, two_hosts_that_call_themselves_localhost_are_two_hosts) {
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("loop.sh"))
      << "for r in 0 1 2 3; do\n"
      << "  " << bin << "/ringmark-lab exec $((r % 2)) -- unshare --uts bash -c 'hostname localhost; exec " << bin
      << "/ringmark-all-reduce --rendezvous 10.77.0.1:29500 --rank '$r' --ranks 4 --sizes 64K -n 5 --csv "
      << results_.file("r.csv") << "' &\n"
      << "done\nwait\n";
  const auto result = run(bin + "/ringmark-lab run --hosts 2 --rate 1gbit -- bash " + results_.file("loop.sh"));
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 2U) << result.output;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.ranks, 4);
    EXPECT_EQ(row.nodes, 2);
  }
  EXPECT_TRUE(has(result.output, "Rank  3 on localhost#2")) << result.output;
}

TEST_F(WithoutMpi, links_and_steps_are_measured) {
  const auto link = run(with_port(loop(2, bin + "/ringmark-link -n 5 --csv " + results_.file("l.csv"))));
  EXPECT_EQ(results_.records("l.csv").size(), 2U) << link.output;
  const auto step =
      run(with_port(loop(2, bin +
                                "/ringmark-replay run --model opt-125m --framework pytorch-ddp --forward-ms 1 "
                                "--backward-ms 1 --scale-sizes 0.01 -n 2 --csv " +
                                results_.file("s.csv"))));
  EXPECT_EQ(results_.records("s.csv").size(), 1U) << step.output;
}

TEST_F(WithoutMpi, a_rank_that_is_killed_is_named_by_the_others) {
  const auto result = run(with_port(
      "cd " + results_.path() + "; for r in 0 1 2; do RANK=$r WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port " +
      bin + "/ringmark-all-reduce --sizes 64K -n 1000000 >out$r 2>&1 & pids[$r]=$!; done; " +
      until("grep -q '#       size' out0") +
      "; kill -KILL ${pids[1]}; wait ${pids[0]}; first=$?; wait ${pids[2]}; echo statuses $first $?; cat out0 out2"));
  EXPECT_TRUE(has(result.output, "rank 0 on") && has(result.output, "rank 2 on")) << result.output;
  EXPECT_TRUE(has(result.output, "lost rank 1")) << result.output;
  EXPECT_TRUE(has(result.output, "statuses 3 3")) << result.output;
}

/// The faults happen at the same time. `rank RANK RANKS SECRET TIMEOUT` runs a rank to its end; its output and status
/// are in files named after the fault.
const std::string faults_script = free_port + "listening() { " +
                                  until("ports | grep -q \":$(printf %04X $port) [0-9A-F]*:0000 0A \"") + "; }\n" +
                                  R"sh(
rank() {
  RANK=$1 WORLD_SIZE=$2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port RINGMARK_TOKEN=$3 \
    $program --sizes 1K -n 2 --timeout $4 >>$fault.$1.out 2>&1
  echo "$1:$?" >>$fault.statuses
}
stranger() { exec 3<>/dev/tcp/127.0.0.1/$port; echo "GET / HTTP/1.0" >&3; timeout 2 cat <&3; exec 3>&-; }
first=20000
fault() { fault=$1; free_port $first $((first + 999)); first=$((first + 1000)); }
fault missing; { rank 0 3 a 6 & rank 1 3 a 30 & wait; } &
fault same; { rank 0 3 a 30 & rank 1 3 a 30 & rank 1 3 a 30 & wait; } &
fault twice; { rank 0 2 a 30 & listening; rank 0 2 a 30; rank 1 2 a 30; wait; } &
fault secret; { rank 0 2 a 6 & rank 1 2 b 30 & wait; } &
fault late; { rank 0 2 a 30 & listening; rank 1 2 a 30; wait; } &
fault stranger; { rank 0 2 a 30 & listening; stranger >/dev/null 2>&1; rank 1 2 a 30; wait; } &
wait
)sh";

TEST_F(WithoutMpi, faults_of_the_start_are_named_in_time_and_leave_nothing) {
  std::ofstream(results_.file("faults.sh")) << faults_script;
  const auto mark = "RINGMARK_FAULTS_OF=" + results_.path();
  const auto all =
      run("cd " + results_.path() + "; program=" + bin + "/ringmark-all-reduce " + mark + " bash faults.sh");
  EXPECT_EQ(all.status, 0) << all.output;
  struct Fault {
    std::string name, said;
    std::vector<std::string> statuses;
  };
  const std::vector<Fault> faults{{"missing", "absent 2", {"0:3", "1:3"}},
                                  {"same", "two processes claim to be rank 1", {"0:2", "1:2", "1:2"}},
                                  {"twice", "in use", {"0:0", "0:2", "1:0"}},
                                  {"secret", "RINGMARK_TOKEN", {"0:3", "1:2"}},
                                  {"late", "Out of bounds values : 0 OK", {"0:0", "1:0"}},
                                  {"stranger", "it is not a rank of this version", {"0:0", "1:0"}}};
  for (const auto& fault : faults) {
    const auto output = run("cat " + results_.path() + "/" + fault.name + ".*.out").output;
    EXPECT_TRUE(has(output, fault.said)) << fault.name << ": " << output;
    const auto statuses = run("sort " + results_.file(fault.name + ".statuses") + " | xargs").output;
    std::string expected;
    for (const auto& status : fault.statuses) expected += (expected.empty() ? "" : " ") + status;
    EXPECT_EQ(statuses, expected + "\n") << fault.name << ": " << output;
  }
  EXPECT_EQ(run("grep -lzs '^" + mark + "$' /proc/[0-9]*/environ | wc -l").output, "0\n");
}

TEST_F(WithoutMpi, different_flags_are_told_before_anything_is_measured) {
  const auto result =
      run(with_port("for r in 0 1; do RANK=$r WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port " + bin +
                    "/ringmark-all-reduce --sizes 64K -n $((r + 1)) & pids[$r]=$!; done; wait ${pids[0]}; first=$?; "
                    "wait ${pids[1]}; echo statuses $first $?"));
  EXPECT_TRUE(has(result.output, "different options")) << result.output;
  EXPECT_TRUE(has(result.output, "statuses 2 2")) << result.output;
}

TEST_F(WithoutMpi, torchrun_starts_the_ranks) {
  if (const auto reason = why_no_torchrun(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string torchrun = "torchrun --no_python --standalone --nproc_per_node 2 ";
  const auto result = run(torchrun + bin + "/ringmark-all-gather --sizes 64K -n 5 --csv " + results_.file("r.csv"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(results_.records("r.csv").size(), 2U) << result.output;
}

TEST_F(WithoutMpi, slurm_starts_the_ranks_without_pmi) {
  const auto slurm = "bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm ";
  const auto cluster = run(slurm + std::string("start ") + results_.path());
  if (cluster.status != 0) GTEST_SKIP() << "no Slurm can be started here: " << cluster.output;
  const auto result = run("export SLURM_CONF=" + results_.file("slurm.conf") + "; srun --mpi=none --overcommit -n 3 " +
                          bin + "/ringmark-all-reduce --sizes 64K -n 5 --csv " + results_.file("r.csv"));
  EXPECT_EQ(run(slurm + std::string("stop ") + results_.path()).status, 0);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "slurm")) << result.output;
  const auto rows = results_.records("r.csv");
  ASSERT_EQ(rows.size(), 2U) << result.output;
  for (const auto& row : rows) EXPECT_EQ(row.ranks, 3);
}

}  // namespace
}  // namespace ringmark
