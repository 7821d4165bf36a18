// The real program, with real namespaces. Skips where they cannot be made.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/lab/lab_fixture.hpp"
#include "tests/lab/traffic.hpp"

namespace ringmark::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uid_t other_user = 65534;

TEST_F(LabTest, lists_its_hosts) {
  const Finished lab = run_lab(script({"--hosts", "3", "--rate", "1gbit", "--host-rate", "2=100mbit"}, "$lab hosts"));
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("index\thostname\taddress\trate", "0\thost-0\t10.77.0.1\t1gbit",
                                                "1\thost-1\t10.77.0.2\t1gbit", "2\thost-2\t10.77.0.3\t100mbit"));
}

TEST_F(LabTest, hosts_have_names_addresses_and_devices_of_their_own) {
  const Finished lab = run_lab(script({"--hosts", "3"}, R"(
    for host in 0 host-1 10.77.0.3; do
      $lab exec $host -- bash -c 'echo $(hostname) $(ip -o address show e0 scope global | grep -oE "inet6? [^ ]+") $(ls /sys/class/net)'
    done)"));
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("host-0 inet 10.77.0.1/24 inet6 fd77::1/64 e0 lo",
                                                "host-1 inet 10.77.0.2/24 inet6 fd77::2/64 e0 lo",
                                                "host-2 inet 10.77.0.3/24 inet6 fd77::3/64 e0 lo"));
}

TEST_F(LabTest, every_host_reaches_every_other) {
  const Finished lab = run_lab(script({"--hosts", "3", "--timeout", "60"}, R"(
    for from in 0 1 2; do for to in 1 2 3 host; do
      name=10.77.0.$to index=$((to - 1))
      [ $to != host ] || { name=host-2; index=2; }
      $lab exec $index -- $traffic receive 5000 & receiver=$!
      $lab exec $from -- $traffic send $name 5000 1000 >/dev/null && wait $receiver && echo reached
    done; done)"));
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_EQ(lines_of(lab.output), Words(12, "reached")) << lab.errors;
}

TEST_F(LabTest, hosts_reach_each_other_by_ipv6) {
  const Finished lab = run_lab(script({"--hosts", "2", "--timeout", "60"}, R"(
    $lab exec 1 -- $traffic receive 5000 & receiver=$!
    $traffic send fd77::2 5000 1000 >/dev/null && wait $receiver)"));
  EXPECT_EQ(lab.status, 0) << lab.errors;
}

TEST_F(LabTest, command_sees_the_callers_directory_and_environment) {
  ::setenv("UCX_TLS", "the user's", 1);
  const Finished lab =
      run_lab(script({"--hosts", "1"}, "pwd; echo $HOME; echo $PATH; echo $UCX_TLS; echo $OMPI_MCA_btl"));
  ::unsetenv("UCX_TLS");
  EXPECT_EQ(lab.status, 0) << lab.errors;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::string(value) : std::string();
  };
  EXPECT_THAT(lines_of(lab.output), ElementsAre(std::filesystem::current_path().string(), variable("HOME"),
                                                variable("PATH"), "the user's", "tcp,self"));
}

TEST_F(LabTest, passes_the_commands_exit_status_on) {
  EXPECT_EQ(run_lab(script({"--hosts", "1"}, "exit 0")).status, 0);
  EXPECT_EQ(run_lab(script({"--hosts", "2"}, "exit 37")).status, 37);
  EXPECT_EQ(run_lab(script({"--hosts", "1"}, "kill -SEGV $$")).status, 128 + SIGSEGV);
  EXPECT_EQ(run_lab(script({"--hosts", "2"}, "exec $lab exec 1 -- bash -c 'exit 38'")).status, 38);
}

struct Shaping {
  Words options;
  double bits_per_second;
};

class LabRateTest : public LabTest, public testing::WithParamInterface<Shaping> {};

// The wire carries at most the bucket plus rate times time. A slow machine does not change that.
TEST_P(LabRateTest, bounds_what_the_wire_carries) {
  Words options{"--hosts", "2", "--timeout", "60"};
  options.insert(options.end(), GetParam().options.begin(), GetParam().options.end());
  const Finished lab = run_lab(script(options, R"(
    $lab exec 1 -- $traffic receive 5000 &
    $traffic send 10.77.0.2 5000 1000000 || exit 1
    $lab counters)"));
  ASSERT_EQ(lab.status, 0) << lab.errors;
  const Words lines = lines_of(lab.output);
  ASSERT_EQ(lines.size(), 4U) << lab.output;
  const double seconds = std::stod(lines[0]) * 1e-9;
  std::istringstream row(lines[3]);
  std::string host;
  double sent = 0, received = 0;
  row >> host >> sent >> received;
  EXPECT_EQ(host, "host-1");
  EXPECT_GE(received, 1e6);
  constexpr double bucket = 8 * 1024;
  constexpr double neighbour_discovery = 4096;  // before the time was taken
  EXPECT_LE(received, bucket + neighbour_discovery + GetParam().bits_per_second / 8 * seconds);
}

INSTANTIATE_TEST_SUITE_P(Links, LabRateTest,
                         testing::Values(Shaping{{"--rate", "20mbit"}, 20e6},
                                         Shaping{{"--rate", "1gbit", "--host-rate", "1=20mbit"}, 20e6},
                                         Shaping{{"--host-rate", "0=20mbit"}, 20e6}));

TEST_F(LabTest, nothing_is_left_after_the_command) {
  LabProcess lab(script({"--hosts", "2"}, "sleep 1000 & setsid sleep 1000 & $lab exec 1 -- sleep 1000 & exit 5"));
  EXPECT_EQ(lab.wait().status, 5);
  EXPECT_TRUE(lab.all_gone());
}

TEST_F(LabTest, nothing_is_left_after_sigkill) {
  LabProcess lab(script({"--hosts", "2"}, "setsid sleep 1000 & $lab exec 1 -- sleep 1000 & echo started; wait"));
  ASSERT_TRUE(lab.wait_for_line("started"));
  EXPECT_GE(lab.marked().size(), 5U);  // ringmark-lab, init, two hosts, the command
  ::kill(lab.pid(), SIGKILL);
  EXPECT_EQ(lab.wait().status, 128 + SIGKILL);
  EXPECT_TRUE(lab.all_gone());
}

TEST_F(LabTest, interrupt_reaches_the_command_once) {
  LabProcess lab(script({"--hosts", "2"}, R"(
    trap 'echo interrupted; stop=yes' INT
    echo started
    until [ $stop ]; do sleep 0.02; done
    sleep 1
    echo ended; exit 3)"));
  ASSERT_TRUE(lab.wait_for_line("started"));
  ::kill(-lab.pid(), SIGINT);
  const Finished end = lab.wait();
  EXPECT_EQ(end.status, 128 + SIGINT);
  EXPECT_THAT(lines_of(end.output), ElementsAre("started", "interrupted", "ended"));
  EXPECT_TRUE(lab.all_gone());
}

TEST_F(LabTest, second_interrupt_kills) {
  LabProcess lab(script({"--hosts", "2"}, "trap 'echo interrupted' INT; echo started; while :; do sleep 0.05; done"));
  ASSERT_TRUE(lab.wait_for_line("started"));
  ::kill(-lab.pid(), SIGINT);
  ASSERT_TRUE(lab.wait_for_line("interrupted"));
  ::kill(-lab.pid(), SIGINT);
  EXPECT_EQ(lab.wait().status, 128 + SIGINT);
  EXPECT_TRUE(lab.all_gone());
}

TEST_F(LabTest, termination_is_passed_on) {
  LabProcess lab(script({"--hosts", "2"}, "trap 'echo terminated; exit 3' TERM; echo started; sleep 1000 & wait"));
  ASSERT_TRUE(lab.wait_for_line("started"));
  ::kill(lab.pid(), SIGTERM);
  const Finished end = lab.wait();
  EXPECT_EQ(end.status, 128 + SIGTERM);
  EXPECT_THAT(lines_of(end.output), ElementsAre("started", "terminated"));
  EXPECT_TRUE(lab.all_gone());
}

TEST_F(LabTest, cut_takes_one_hosts_link_down) {
  const Finished lab = run_lab(script({"--hosts", "3", "--cut", "1@100ms", "--timeout", "60"}, R"(
    carrier() { $lab exec $1 -- cat /sys/class/net/e0/carrier; }
    until carrier 1 | grep -qx 0; do sleep 0.02; done
    carrier 0; carrier 2)"));
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_THAT(lines_of(lab.output), ElementsAre("1", "1"));
  EXPECT_THAT(lab.errors, HasSubstr("cut the link of host-1 (10.77.0.2)"));
}

TEST_F(LabTest, timeout_ends_the_command) {
  LabProcess lab(script({"--hosts", "2", "--timeout", "0.2"}, "sleep 1000"));
  const Finished end = lab.wait();
  EXPECT_EQ(end.status, 124);
  EXPECT_THAT(end.errors, HasSubstr("200ms"));
  EXPECT_TRUE(lab.all_gone());
}

TEST_F(LabTest, works_without_root) {
  if (::geteuid() != 0) GTEST_SKIP() << "the other tests already run without root";
  const Finished lab =
      run_lab({"run", "--hosts", "2", "--rate", "1gbit", "--", lab_binary(), "counters"}, {.user = other_user});
  if (lab.status == 4) GTEST_SKIP() << lab.errors;
  if (lab.status == 127 || lab.status == 2) GTEST_SKIP() << "user " << other_user << " may not run " << lab_binary();
  EXPECT_EQ(lab.status, 0) << lab.errors;
  EXPECT_EQ(lines_of(lab.output).size(), 3U) << lab.output;
}

struct Launcher {
  std::string program, flags;
};

class LabLauncherTest : public LabTest, public testing::WithParamInterface<Launcher> {};

TEST_P(LabLauncherTest, places_ranks_on_the_hosts_in_turn) {
  const std::string program = GetParam().program;
  if (std::system(fmt::format("command -v {} >/dev/null", program).c_str()) != 0)
    GTEST_SKIP() << program << " is not installed";
  // With an input that ends, MPICH's mpirun now and then dies of SIGPIPE when the ranks are gone before it has said so.
  const auto ranks_on = [&](const std::string& hosts, const std::string& options) {
    const std::string text = fmt::format("{} {} -n 4 hostname < <(exec sleep 1000) | sort", program, options);
    return run_lab(script({"--hosts", hosts, "--timeout", "100"}, text));
  };
  const Finished one_each = ranks_on("4", "");
  EXPECT_THAT(lines_of(one_each.output), ElementsAre("host-0", "host-1", "host-2", "host-3")) << one_each.errors;
  const Finished two_each = ranks_on("2", GetParam().flags);
  EXPECT_THAT(lines_of(two_each.output), ElementsAre("host-0", "host-0", "host-1", "host-1")) << two_each.errors;
}

INSTANTIATE_TEST_SUITE_P(Mpi, LabLauncherTest,
                         testing::Values(Launcher{"mpirun.mpich", ""}, Launcher{"mpirun.openmpi", "--oversubscribe"}),
                         [](const auto& test) { return test.param.program.substr(7); });

class LabRefusalTest : public LabTest, public testing::WithParamInterface<Words> {};

TEST_P(LabRefusalTest, exits_2_with_a_message) {
  const Finished lab = run_lab(GetParam());
  EXPECT_EQ(lab.status, 2);
  EXPECT_EQ(lab.output, "");
  EXPECT_THAT(lab.errors, testing::StartsWith("ringmark-lab: "));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, LabRefusalTest,
    testing::Values(Words{"run", "--hosts", "0", "--", "true"}, Words{"run", "--hosts", "251", "--", "true"},
                    Words{"run", "--hosts", "2", "--cut", "2@1s", "--", "true"},
                    Words{"run", "--leaves", "2", "--", "true"},
                    Words{"run", "--leaves", "2", "--hosts-per-leaf", "2", "--hosts", "4", "--", "true"},
                    Words{"run", "--hosts", "2", "--fault", "leaf1:down@1s", "--", "true"},
                    Words{"run", "--fabric", "/no/such", "--", "true"}, Words{"run", "--hosts", "2"},
                    Words{"run", "--hosts", "2", "--", "no-such-program"}, Words{"run", "--hosts", "2", "--", "/etc"},
                    Words{"hosts"}, Words{"counters"}, Words{"exec", "0", "--", "true"}, Words{}));

TEST_F(LabTest, exec_names_a_host_that_is_not_there) {
  const Finished lab = run_lab(script({"--hosts", "2"}, "$lab exec 2 -- true"));
  EXPECT_EQ(lab.status, 2);
  EXPECT_THAT(lab.errors, HasSubstr("\"2\" is not a host of this lab"));
}

}  // namespace
}  // namespace ringmark::lab

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--traffic") return ringmark::lab::run_traffic({argv + 2, argv + argc});
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
