// Real RDMA packets: the programs on Soft-RoCE devices, in the virtual machine of ringmark-lab.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "results/schema/cells.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class Vm : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = run(bin + "/ringmark-lab vm --check");
    if (probe.status == 4) GTEST_SKIP() << "no virtual machine here: " << probe.output;
    ASSERT_EQ(probe.status, 0) << probe.output;
  }

  /// Runs a shell script in the machine; it may write to $results.
  ShellResult in_vm(const std::string& options, const std::string& script) const {
    std::ofstream(results_.file("script")) << "bin=" << bin << "\nresults=" << results_.path() << R"(
      until_traffic() { until [ $(cat /sys/class/net/v1/statistics/tx_bytes) -gt 1000000 ]; do sleep 0.1; done; }
)" << script;
    return run(bin + "/ringmark-lab vm --timeout 900 --share " + results_.path() + " " + options + " -- bash " +
                   results_.file("script"),
               600);
  }

  ResultFolder results_;
};

TEST_F(Vm, keeps_the_contract_of_communicators) {
  const auto result = in_vm("", "$bin/test-rdma-contract --gtest_brief=1");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "[  PASSED  ]")) << result.output;
}

TEST_F(Vm, the_three_collectives_are_right_and_cross_the_ports_as_the_schedules_say) {
  const auto result = in_vm("", R"(
    for ranks in 1 2 3 4; do
      for collective in all-reduce reduce-scatter all-gather; do
        $bin/ringmark-$collective --transport verbs --ranks $ranks --sizes 0,4,1000,64K,1M --algorithm ring \
          -d float32,bfloat16 -n 1 -w 1 --csv $results/rows.csv >/dev/null || exit
      done
    done
    $bin/ringmark-all-gather --list)");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "rxe3:1  Ethernet, active")) << result.output;
  EXPECT_TRUE(has(result.output, "GID 1: 10.7.0.13 RoCE v2 on v3")) << result.output;
  const auto rows = results_.records("rows.csv");
  ASSERT_EQ(rows.size(), 4U * 3 * 5 * 2 * 2);
  int proven = 0, sent_once = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(to_cell(row.collective) + " " + std::to_string(row.size_bytes) + " on " + std::to_string(row.ranks));
    if (row.status == Status::unsupported) continue;  // a size that rounds to nothing
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.wrong_elements, 0U);
    if (row.ranks == 1 || row.size_bytes == 0) continue;
    EXPECT_EQ(row.network, Network::roce);
    if (row.size_bytes < 1'000'000) continue;
    const double shares = row.collective == Collective::all_reduce ? 2.0 : 1.0;
    const double payload = shares * static_cast<double>(row.size_bytes) * (row.ranks - 1) / row.ranks;
    EXPECT_GE(static_cast<double>(*row.wire_bytes), payload);
    ++proven;
    if (row.retransmits.value_or(0) > 0) continue;  // the emulated machine had to drop some
    EXPECT_LE(static_cast<double>(*row.wire_bytes), 1.08 * payload);
    ++sent_once;
  }
  EXPECT_GE(proven, 3 * 3 * 2 * 2);
  EXPECT_GE(sent_once, proven / 4);
}

// Messages of one packet: when Linux 6.1's rxe sends one of several again and the first one's acknowledgement is only
// late, it loses its place in the message and fails with an invalid request.
TEST_F(Vm, losses_and_delays_change_nothing_but_the_time) {
  const auto result = in_vm("--loss 1 --delay 5ms", R"(
    $bin/ringmark-all-reduce --transport verbs --ranks 4 --sizes 4,64K,1M -n 3 --set verbs.slice=4K \
      --set verbs.slot=4K --set verbs.timeout=17 --csv $results/rows.csv)");
  ASSERT_EQ(result.status, 0) << result.output;
  std::uint64_t sent_again = 0;
  for (const auto& row : results_.records("rows.csv")) {
    EXPECT_EQ(row.wrong_elements, 0U);
    sent_again += row.retransmits.value_or(0);
    if (row.size_bytes == 1 << 20) {
      EXPECT_TRUE(has(row.detail, ":1 on vm: ") && has(row.detail, "completer_retry_err")) << row.detail;
    }
  }
  EXPECT_GT(sent_again, 0U);
}

TEST_F(Vm, an_address_that_is_answered_for_late_is_waited_for) {
  const auto result = in_vm("--hosts 3", R"(
    answer_arp() { for v in v0 v1 v2; do echo $1 > /proc/sys/net/ipv4/conf/$v/arp_ignore; done; }
    answer_arp 8  # never
    $bin/ringmark-all-reduce --transport verbs --ranks 3 --sizes 4 -n 1 --timeout 3 && exit
    (sleep 4; answer_arp 0) &
    $bin/ringmark-all-reduce --transport verbs --ranks 3 --sizes 4 -n 1)");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "no neighbour of rxe0:1 answers for the address of rxe1:1 on rank 1 on vm"))
      << result.output;
}

TEST_F(Vm, a_port_that_goes_down_is_named_by_every_rank) {
  const auto result = in_vm("--hosts 3", R"(
    $bin/ringmark-all-reduce --transport verbs --ranks 3 --sizes 64K -n 1000000 &
    until_traffic; ip link set v2 down; wait $!)");
  EXPECT_EQ(result.status, 3) << result.output;
  for (const std::string speaker : {"rank 0 on vm: ", "rank 1 on vm: ", ""}) {  // rank 2 speaks of itself
    EXPECT_TRUE(has(result.output, "ringmark: " + speaker + "lost rank 2 on vm: its port rxe2:1 is down\n"))
        << result.output;
  }
}

TEST_F(Vm, a_link_is_cut_when_asked) {
  const auto result = in_vm("--hosts 2 --cut 1@1ms", R"sh(
    for ((i = 0; i < 100; ++i)); do [ "$(cat /sys/class/net/v1/operstate)" = down ] && exit 7; sleep 0.1; done)sh");
  EXPECT_EQ(result.status, 7) << result.output;
  EXPECT_TRUE(has(result.output, "cut the link of host 1")) << result.output;
}

TEST_F(Vm, a_killed_rank_is_named_by_all_others_within_seconds) {
  const auto result = in_vm("--hosts 3", R"(
    $bin/ringmark-all-reduce --transport verbs --ranks 3 --sizes 256K -n 1000000 &
    until_traffic; kill -KILL $(pgrep -P $! | sed -n 2p); SECONDS=0; wait $!; status=$?
    [ $SECONDS -lt 30 ] || echo late; exit $status)");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_FALSE(has(result.output, "late")) << result.output;
  for (const std::string rank : {"0", "2"}) {
    EXPECT_TRUE(has(result.output, "rank " + rank + " on vm: lost rank 1 on vm")) << result.output;
  }
}

TEST_F(Vm, too_little_lockable_memory_is_told_with_the_limit_to_raise) {
  const auto result = in_vm("--hosts 2", R"(
    ulimit -l 64
    setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock \
      $bin/ringmark-all-reduce --transport verbs --ranks 2 --sizes 64K -n 1)");
  EXPECT_EQ(result.status, 4) << result.output;
  EXPECT_TRUE(has(result.output, "65536") && has(result.output, "ulimit -l")) << result.output;
}

/// Packets wait long in the queues of such slow links; rxe would send them again, and not bear that (see above).
TEST_F(Vm, queue_pairs_spread_over_the_spines_and_a_hash_lays_single_ones_on_one) {
  const auto result = in_vm("--hosts 4 --spines 2 --rate 20mbit", R"sh(
    spine() { ip netns exec leaf1 cat /sys/class/net/spine$1/statistics/tx_bytes; }
    scan() {
      $bin/ringmark-link --transport verbs --ranks 4 --pairs all --test bandwidth --sizes 64K --max-time 1 \
        --set verbs.slice=4K --set verbs.slot=4K --set verbs.timeout=20 "$@"
    }
    first=$(spine 1) second=$(spine 2)
    scan --alone 0 --set verbs.queue_pairs=8 --csv $results/links.csv || exit
    echo "spines: $(($(spine 1) - first)) $(($(spine 2) - second))"
    for try in 1 2 3 4; do
      scan --alone 12 > $results/scan || exit
      grep "had put several" $results/scan && break
    done)sh");
  EXPECT_EQ(result.status, 0) << result.output;
  const auto rows = results_.records("links.csv");
  ASSERT_EQ(rows.size(), 12U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_EQ(row.network, Network::roce);
  }
  const std::string before = "spines: ";
  ASSERT_TRUE(has(result.output, before)) << result.output;
  std::istringstream counts(result.output.substr(result.output.find(before) + before.size()));
  double first = 0, second = 0;
  counts >> first >> second;
  EXPECT_GE(std::min(first, second), 0.2 * (first + second)) << result.output;
  EXPECT_TRUE(has(result.output, "had put several")) << result.output;
}

TEST_F(Vm, links_are_measured_and_a_device_that_is_not_there_is_named) {
  const auto result = in_vm("--hosts 3", R"(
    link="$bin/ringmark-link --transport verbs --ranks 3 --pairs all -n 3 -w 1 --csv $results/links.csv"
    $link --test latency --sizes 64 && $link --test bandwidth --sizes 64K || exit
    $bin/ringmark-link --transport verbs --ranks 2 --set verbs.device=mlx5_0)");
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_TRUE(has(result.output, "verbs.device=mlx5_0") && has(result.output, "rxe2:1 (Ethernet, active)"))
      << result.output;
  const auto rows = results_.records("links.csv");
  ASSERT_EQ(rows.size(), 2U * 6);
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.network, Network::roce);
  }
}

}  // namespace
}  // namespace ringmark
