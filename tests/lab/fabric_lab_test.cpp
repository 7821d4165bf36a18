// Fabrics of the real program, with real namespaces. Skips where they cannot be made.
#include <csignal>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/lab_fixture.hpp"

namespace ringmark::lab {
namespace {

using testing::ElementsAre;

class FabricLabTest : public LabTest {};

/// Two leaves with a host each.
Words fabric(Words more) {
  Words words{"--leaves", "2", "--spines", "2", "--hosts-per-leaf", "1", "--timeout", "100"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Sends 20 streams of a megabyte from host 0 to host 1; $taken is then the time in nanoseconds.
constexpr const char* twenty_streams = R"(
    for port in $(seq 5000 5019); do $lab exec 1 -- $traffic receive $port & done
    start=$(date +%s%N)
    for port in $(seq 5000 5019); do $traffic send 10.2.0.1 $port 1000000 >/dev/null & senders+=" $!"; done
    wait $senders
    taken=$(($(date +%s%N) - start))
)";

TEST_F(FabricLabTest, streams_between_leaves_spread_over_the_spines) {
  const Finished lab =
      run_lab(script(fabric({"--rate", "1gbit", "--uplink", "100mbit"}), std::string(twenty_streams) + R"(
    $lab counters --links | awk '/^leaf1-/ { print $3 }'
    echo $taken)"));
  ASSERT_EQ(lab.status, 0) << lab.errors;
  const Words lines = lines_of(lab.output);
  ASSERT_EQ(lines.size(), 3U) << lab.output;
  const double first = std::stod(lines[0]), second = std::stod(lines[1]), seconds = std::stod(lines[2]) * 1e-9;
  EXPECT_GE(first, 1e6);  // a stream at least
  EXPECT_GE(second, 1e6);
  EXPECT_GE(first + second, 20e6);
  constexpr double bucket = 128 * 1024, neighbour_discovery = 4096;
  for (const double bytes : {first, second})
    EXPECT_LE(bytes, bucket + neighbour_discovery + 100e6 / 8 * (seconds + 0.1));
}

TEST_F(FabricLabTest, streams_pass_a_fabric_of_which_a_link_is_down) {
  const Finished lab = run_lab(script(fabric({"--rate", "1gbit", "--fault", "leaf2-spine1:down@1ms"}),
                                      "sleep 0.5" + std::string(twenty_streams) + R"(
    $lab counters --links | awk '/^leaf1-/ { print $3 }')"));
  ASSERT_EQ(lab.status, 0) << lab.errors;
  const Words lines = lines_of(lab.output);
  ASSERT_EQ(lines.size(), 2U) << lab.output;
  EXPECT_LE(std::stod(lines[0]), 1e5);  // the other leaf avoids the spine as well
  EXPECT_GE(std::stod(lines[1]), 20e6);
}

TEST_F(FabricLabTest, a_link_that_comes_up_again_carries_streams) {
  const Finished lab = run_lab(
      script(fabric({"--rate", "1gbit", "--fault", "leaf1:down@1ms", "--fault", "leaf1:up@500ms"}),
             "sleep 1" + std::string(twenty_streams) + R"($lab counters --links | awk '/^leaf1-/ { print $3 }')"));
  ASSERT_EQ(lab.status, 0) << lab.errors;
  const Words lines = lines_of(lab.output);
  ASSERT_EQ(lines.size(), 2U) << lab.output;
  for (const auto& line : lines) EXPECT_GE(std::stod(line), 1e6);
}

TEST_F(FabricLabTest, a_fault_changes_the_rate_of_a_link) {
  const Finished lab = run_lab(script(fabric({"--rate", "1gbit", "--fault", "host-0-e0:rate=20mbit@1ms"}), R"(
    sleep 0.5
    $lab exec 1 -- $traffic receive 5000 &
    $traffic send 10.2.0.1 5000 1000000)"));
  ASSERT_EQ(lab.status, 0) << lab.errors;
  const double seconds = std::stod(lab.output) * 1e-9;
  EXPECT_LE(1e6, 2 * 128 * 1024 + 20e6 / 8 * seconds);
}

TEST_F(FabricLabTest, every_rail_has_a_way_of_its_own) {
  const Finished lab = run_lab(script(fabric({"--rails", "2"}), R"(
    $lab exec 1 -- $traffic receive 5000 & receiver=$!
    $traffic send 10.2.1.1 5000 1000000 >/dev/null && wait $receiver
    $lab counters --links | awk '/^host-/ { print $1, ($3 + $4 > 1000000) }')"));
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("host-0-e0 0", "host-0-e1 1", "host-1-e0 0", "host-1-e1 1"));
}

TEST_F(FabricLabTest, loss_is_a_share_of_the_packets) {
  const Finished lab = run_lab(script(
      fabric({"--rate", "100mbit", "--fault", "leaf1-spine1:loss=10%@1ms", "--fault", "leaf1-spine2:loss=10%@1ms"}),
      R"(
    sleep 0.5
    $lab exec 1 -- $traffic receive 5000 & receiver=$!
    $traffic send 10.2.0.1 5000 1000000 >/dev/null && wait $receiver
    $lab exec 0 -- awk '/^Tcp:/ && $13 ~ /[0-9]/ { print $12, $13 }' /proc/net/snmp)"));
  if (lab.status == 4) GTEST_SKIP() << lab.errors;
  ASSERT_EQ(lab.status, 0) << lab.errors;
  double segments = 0, repeated = 0;
  std::istringstream(lab.output) >> segments >> repeated;
  EXPECT_GE(segments, 1e6 / 1500);
  // A tenth of some 700 packets, and what was repeated without need.
  EXPECT_GE(repeated, 35);
  EXPECT_LE(repeated, 350);
}

TEST_F(FabricLabTest, nothing_of_a_fabric_is_left_after_sigkill) {
  LabProcess lab(script(fabric({"--fault", "leaf1:down@1ms"}), "setsid sleep 1000 & echo started; wait"));
  ASSERT_TRUE(lab.wait_for_line("started"));
  EXPECT_GE(lab.marked().size(), 9U);  // ringmark-lab, init, two hosts, four switches, the command
  ::kill(lab.pid(), SIGKILL);
  lab.wait();
  EXPECT_TRUE(lab.all_gone());
}

}  // namespace
}  // namespace ringmark::lab
