// The programs under mpirun on the hosts of a lab.
#include <filesystem>
#include <fstream>
#include <regex>

#include "results/files/rank_hosts.hpp"
#include "tests/programs/programs_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class MixUnderMpi : public Programs {};

TEST_F(MixUnderMpi, two_groups_share_the_links_that_both_cross) {
  if (!std::filesystem::exists(bin + "/ringmark-mix")) GTEST_SKIP() << "this build has no YAML";
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("mix.yaml")) << "groups:\n"
                                              "  - {name: one, ranks: 0-1, operation: all_gather, size: 256K}\n"
                                              "  - {name: two, ranks: 2-3, congestor: all_to_all, size: 256K}\n";
  const auto result =
      run(bin + "/ringmark-lab run --hosts 2 --rate 100mbit -- mpirun.mpich -n 4 " + bin + "/ringmark-mix " +
          results_.file("mix.yaml") + " --rounds 2 --window 0.3 --csv " + results_.file("mix.csv"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "max-min share")) << result.output;
  const auto rows = results_.records("mix.csv");
  ASSERT_EQ(rows.size(), 2U * 4);
  int times_together = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.wrong_elements, 0U);
    EXPECT_EQ(row.ranks, 2);
    EXPECT_EQ(row.nodes, 2);
    EXPECT_FALSE(row.algorithm_used.empty());
    EXPECT_EQ(parse_rank_hosts(row.settings.hosts), (std::vector<std::string>{"host-0", "host-1"}));
    times_together += row.settings.beside == Company::together;
  }
  EXPECT_EQ(times_together, 4) << "two groups in two rounds";
}

class LauncherOfAnotherMpi : public Programs {};

/// As under Ubuntu 24.04's MPICH, whose library does not know its own mpirun.
TEST_F(LauncherOfAnotherMpi, is_refused_since_every_rank_would_be_alone) {
  for (const char* mpi : {"mpich", "openmpi"}) {
    if (const auto reason = why_no_mpi(mpi); !reason.empty()) GTEST_SKIP() << reason;
  }
  const auto result = run("RINGMARK_MPI=openmpi mpirun.mpich -n 2 " + bin + "/ringmark-all-reduce --sizes 1K --csv " +
                          results_.file("other.csv"));
  EXPECT_EQ(result.status, 4) << result.output;
  EXPECT_TRUE(has(result.output, "started 2 ranks")) << result.output;
  EXPECT_TRUE(results_.records("other.csv").empty());
}

class UnderMpi : public Programs, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_mpi(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  }
  std::string lab_mpirun(int hosts) const {
    return bin + "/ringmark-lab run --hosts " + std::to_string(hosts) + " --rate 1gbit -- mpirun." + GetParam() +
           " -n " + std::to_string(hosts) + " ";
  }
};

TEST_P(UnderMpi, keeps_the_contract_of_communicators) {
  for (const int ranks : {2, 3}) {
    const auto result = run(lab_mpirun(ranks) + bin + "/test-mpi-contract");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(has(result.output, "[  PASSED  ]")) << result.output;
  }
}

TEST_P(UnderMpi, the_bytes_cross_the_interfaces_and_are_no_more_than_the_schedule_says) {
  for (const std::string transport : {"tcp", "mpi"}) {
    const auto result = run(lab_mpirun(4) + bin + "/ringmark-all-gather --transport " + transport +
                            " --sizes 1M,4M -n 5 --csv " + results_.file("p.csv"));
    EXPECT_EQ(result.status, 0) << result.output;
  }
  const auto rows = results_.records("p.csv");
  ASSERT_EQ(rows.size(), 8U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.network, Network::tcp);
    EXPECT_EQ(row.nodes, 4);
    if (row.transport != Transport::tcp) continue;
    const double payload = static_cast<double>(row.size_bytes) * 3 / 4;
    EXPECT_GE(static_cast<double>(*row.wire_bytes), 1.00 * payload) << row.size_bytes;
    EXPECT_LE(static_cast<double>(*row.wire_bytes), 1.08 * payload) << row.size_bytes;
  }
}

TEST_P(UnderMpi, rows_over_mpi_have_its_version_and_others_none) {
  for (const std::string transport : {"tcp", "mpi"}) {
    const auto result = run(lab_mpirun(2) + bin + "/ringmark-all-reduce --transport " + transport +
                            " --sizes 1K -n 3 --in-place no --csv " + results_.file("v.csv"));
    EXPECT_EQ(result.status, 0) << result.output;
  }
  const auto rows = results_.records("v.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].settings.others.contains("mpi_version"));
  EXPECT_TRUE(
      has(std::string(rows[1].settings.others.at("mpi_version")), GetParam() == "mpich" ? "MPICH " : "Open MPI "))
      << rows[1].settings.others.at("mpi_version");
}

TEST_P(UnderMpi, rank_0_says_that_it_waits_for_a_rank_that_comes_late) {
  const auto result = run(lab_mpirun(2) + "bash -c '[ ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} = 1 ] && sleep 7; exec " +
                          bin + "/ringmark-all-reduce --sizes 1K -n 3'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "waiting for the other ranks")) << result.output;
}

TEST_P(UnderMpi, every_host_sends_what_the_ring_says_and_no_more) {
  for (const std::string program : {"all-reduce", "reduce-scatter", "all-gather"}) {
    const auto mpirun = "mpirun." + GetParam() + " -n 4 " + bin + "/ringmark-" + program +
                        " --algorithm ring --set tcp.crossover=4K --sizes 8M -n 3 -w 1 --in-place no --csv " +
                        results_.file("h.csv");
    const auto result = run(bin + "/ringmark-lab run --hosts 4 --rate 1gbit -- bash -c '" + mpirun + " >/dev/null && " +
                            bin + "/ringmark-lab counters'");
    ASSERT_EQ(result.status, 0) << result.output;
    const double payload = (program == "all-reduce" ? 2 : 1) * 8388608.0 * 3 / 4 * (3 + 1);
    const std::regex line("host-[0-3]\t([0-9]+)\t");
    int hosts = 0;
    for (std::sregex_iterator host(result.output.begin(), result.output.end(), line), end; host != end; ++host) {
      EXPECT_GE(std::stod((*host)[1]), payload) << result.output;
      EXPECT_LE(std::stod((*host)[1]), 1.08 * payload) << result.output;
      ++hosts;
    }
    EXPECT_EQ(hosts, 4) << result.output;
  }
}

TEST_P(UnderMpi, two_ranks_on_a_host_keep_their_statuses_and_their_links) {
  const std::string mapping = GetParam() == "openmpi" ? "--map-by ppr:2:node:oversubscribe " : "-ppn 2 ";
  const auto mpirun = bin + "/ringmark-lab run --hosts 2 -- mpirun." + GetParam() + " -n 4 " + mapping + bin;
  for (int i = 0; i < 3; ++i) {
    const auto result = run(mpirun + "/ringmark-all-reduce --sizes 1M -n 3");
    EXPECT_EQ(result.status, 0) << result.output;
    const auto refused = run(mpirun + "/ringmark-all-reduce --sizes 10");
    EXPECT_EQ(refused.status, 2) << refused.output;
  }
  const auto mismatch = run(mpirun + "/ringmark-all-reduce --ranks 3");
  EXPECT_EQ(mismatch.status, 2) << mismatch.output;
  EXPECT_TRUE(has(mismatch.output, "--ranks 3: ")) << mismatch.output;
  const auto links =
      run(mpirun + "/ringmark-link --pairs all --test bandwidth -n 3 --csv " + results_.file("pairs.csv"));
  EXPECT_EQ(links.status, 0) << links.output;
  for (const auto& row : results_.records("pairs.csv")) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_TRUE(row.retransmits.has_value());
  }
}

TEST_P(UnderMpi, no_link_carries_more_than_it_can) {
  const auto result = run(lab_mpirun(4) + bin + "/ringmark-reduce-scatter --sizes 32M -n 3 --in-place no --csv " +
                          results_.file("g.csv"));
  ASSERT_EQ(result.status, 0) << result.output;
  const auto row = results_.records("g.csv").at(0);
  // 1448 of 1514 bytes at MTU 1500; the shaper lets a burst through unshaped.
  const double seconds = *row.time_us_p50 / 1e6;
  EXPECT_LE(*row.busbw_GBps, 1.01 * 0.9564 * 0.125 + 256e3 / seconds / 1e9);
}

TEST_P(UnderMpi, different_flags_on_one_rank_are_told_before_anything_connects) {
  const auto result = run(lab_mpirun(2) + "bash -c \"if [ \\$(hostname) = host-1 ]; then exec " + bin +
                          "/ringmark-all-reduce -e 1M; else exec " + bin + "/ringmark-all-reduce -e 2M; fi\"");
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_TRUE(has(result.output, "rank 1: -e 1M")) << result.output;
}

TEST_P(UnderMpi, a_bad_flag_on_one_rank_ends_all_and_is_told_once) {
  const auto result = run(lab_mpirun(2) + "bash -c \"if [ \\$(hostname) = host-1 ]; then exec " + bin +
                          "/ringmark-all-reduce -f 1; else exec " + bin + "/ringmark-all-reduce; fi\"");
  EXPECT_EQ(result.status, 2) << result.output;
  const auto told = result.output.find("rank 1: --step-factor 1");
  ASSERT_NE(told, std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("--step-factor", told + 20), std::string::npos) << result.output;
}

/// A shell line on host 0 of a lab under MPICH: `mishap` happens in mid-operation, once host 0 has sent 20 MB.
std::string with_mishap(int hosts, const std::string& mishap, const std::string& rows, const std::string& options,
                        const std::string& before = "") {
  return bin + "/ringmark-lab run --hosts " + std::to_string(hosts) + " --rate 1gbit --timeout 40 -- bash -c '" +
         before + "(" + until("[ $(cat /sys/class/net/e0/statistics/tx_bytes) -gt 20000000 ]") + "; " + mishap +
         ") & mpirun.mpich -n " + std::to_string(hosts) + " " + bin + "/ringmark-all-reduce --in-place no --csv " +
         rows + " " + options + "'";
}

TEST_P(UnderMpi, a_host_that_is_cut_off_is_named_by_every_other) {
  if (GetParam() == "openmpi")
    GTEST_SKIP() << "Open MPI's daemons end the other ranks before they can say what they saw";
  // Later the host is back, as mpirun needs it to end.
  const auto cut = bin + "/ringmark-lab exec 2 -- sh -c \"ip link set e0 down; sleep 12; ip link set e0 up\"";
  const auto result = run(with_mishap(4, cut, results_.file("cut.csv"), "--sizes 16M -n 100000"));
  for (const std::string other : {"0", "1", "3"})
    EXPECT_TRUE(has(result.output, "rank " + other + " on host-" + other + ": lost rank 2 on host-2: "))
        << result.output;
}

TEST_P(UnderMpi, a_link_that_comes_back_within_two_seconds_changes_nothing) {
  if (GetParam() == "openmpi") GTEST_SKIP() << "its own connections are not the subject";
  const auto rows = results_.file("flap.csv");
  const auto result =
      run(with_mishap(3, "ip link set e0 down; sleep 2; ip link set e0 up; echo back", rows, "--sizes 1M -n 500"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "back")) << result.output;
  EXPECT_EQ(results_.records("flap.csv").size(), 1U);
}

TEST_P(UnderMpi, a_link_between_two_hosts_is_named_by_all_ranks_alike) {
  if (GetParam() == "openmpi")
    GTEST_SKIP() << "Open MPI's daemons end the other ranks before they can say what they saw";
  // Host 0 sends what is for host 1 to nobody; all other pairs still reach each other. Later the link passes again, as
  // mpirun needs it to end.
  const auto result = run(with_mishap(4,
                                      "ip neigh replace 10.77.0.2 lladdr 02:00:00:00:00:99 dev e0 nud permanent; "
                                      "sleep 15; ip neigh del 10.77.0.2 dev e0",
                                      results_.file("link.csv"), "--sizes 1M -n 100000"));
  for (const std::string rank : {"0", "1", "2", "3"})
    EXPECT_TRUE(has(result.output, "rank " + rank + " on host-" + rank + ": lost the link host-0 to host-1: "))
        << result.output;
  EXPECT_FALSE(has(result.output, "lost rank")) << result.output;
  EXPECT_TRUE(has(result.output, "tcp.silence")) << result.output;
}

TEST_P(UnderMpi, packets_that_are_too_large_for_the_path_are_named) {
  if (GetParam() == "openmpi")
    GTEST_SKIP() << "Open MPI's daemons end the other ranks before they can say what they saw";
  // Host 1 takes no packets of the length that host 0 goes on to send, as with jumbo frames on one side. The kernel
  // forwards joined packets of any length, so that there must be none.
  const auto result =
      run(with_mishap(2, bin + "/ringmark-lab exec 1 -- ip link set e0 mtu 1200", results_.file("mtu.csv"),
                      "--sizes 1M -n 100000", "ip link set e0 gso_max_segs 1; "));
  for (const std::string rank : {"0", "1"})
    EXPECT_TRUE(has(result.output, "rank " + rank + " on host-" + rank + ": lost the link host-0 to host-1: "))
        << result.output;
  EXPECT_TRUE(has(result.output, "packets of 1448 bytes") && has(result.output, "MTU")) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Mpi, UnderMpi, testing::Values("mpich", "openmpi"),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace ringmark
