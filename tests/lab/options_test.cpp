#include "lab/options.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text/shell_text.hpp"
#include "lab/errors.hpp"
#include "lab/vm/guest.hpp"

namespace ringmark::lab {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

LabOptions parse_run(const Words& arguments) { return std::get<LabOptions>(parse_request(arguments)); }

std::string refusal(const Words& arguments) {
  try {
    parse_request(arguments);
    return "(accepted)";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

TEST(LabOptionsTest, run_has_everything) {
  const auto options = parse_run(
      {"run",  "--hosts", "4",       "--rate",    "1gbit", "--host-rate", "2=100mbit", "--host-rate", "3=0", "--cut",
       "2@3s", "--cut",   "1@500ms", "--timeout", "1.5",   "--verbose",   "--",        "program",     "-n",  "4"});
  EXPECT_EQ(options.hosts, 4);
  EXPECT_EQ(options.rate, Rate{1'000'000'000});
  EXPECT_EQ(options.host_rates.at(2), Rate{100'000'000});
  EXPECT_EQ(options.host_rates.at(3), Rate{});
  EXPECT_EQ(options.timeout, milliseconds(1500));
  EXPECT_TRUE(options.verbose);
  EXPECT_THAT(options.command, ElementsAre("program", "-n", "4"));
}

TEST(LabOptionsTest, a_burst_is_that_of_every_link) {
  const auto network = plan_network(parse_run({"run", "--hosts", "2", "--burst", "16K", "--", "x"}));
  EXPECT_EQ(network.burst_bytes, 16U << 10U);
  EXPECT_EQ(plan_network(parse_run({"run", "--hosts", "2", "--", "x"})).burst_bytes, 0U) << "the usual one of a rate";
  for (const char* wrong : {"1K", "128M", "16kilo", "-1"})
    EXPECT_THAT(refusal({"run", "--hosts", "2", "--burst", wrong, "--", "x"}), HasSubstr("--burst"));
}

TEST(LabOptionsTest, cuts_are_in_the_order_of_their_times) {
  const auto options =
      parse_run({"run", "--hosts", "3", "--cut", "2@3s", "--cut", "1@500ms", "--cut", "0@1m", "--", "x"});
  ASSERT_EQ(options.faults.size(), 3U);
  EXPECT_EQ(options.faults[0].part, "host-1");
  EXPECT_TRUE(std::holds_alternative<LinkDown>(options.faults[0].change));
  EXPECT_EQ(options.faults[0].after, milliseconds(500));
  EXPECT_EQ(options.faults[1].after, milliseconds(3000));
  EXPECT_EQ(options.faults[2].after, milliseconds(60000));
}

TEST(LabOptionsTest, defaults_are_unshaped_and_unlimited) {
  const auto options = parse_run({"run", "--hosts", "1", "--", "x"});
  EXPECT_FALSE(options.rate.shaped());
  EXPECT_FALSE(options.timeout);
  EXPECT_TRUE(options.faults.empty());
  EXPECT_FALSE(options.verbose);
}

class FabricFileTest : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_) << text; }
  ~FabricFileTest() override { std::filesystem::remove(path_); }

  std::string path_ = testing::TempDir() + "fabric-" + std::to_string(::getpid()) + ".yaml";
};

TEST_F(FabricFileTest, has_everything_and_flags_come_before_it) {
  write(
      "leaves: 2\nspines: 3\nhosts_per_leaf: 4\nrails: 2\nrate: 1gbit\nuplink: 500mbit\nburst: 32K\n"
      "links: {leaf1-spine3: 50mbit}\nfaults: ['leaf2:down@5s', 'host-7-e1:loss=1%@2s']\n");
  const auto options = parse_run({"run", "--fabric", path_, "--spines", "4", "--cut", "1@1s", "--", "x"});
  EXPECT_EQ(options.hosts, 8);
  EXPECT_EQ(options.fabric->spines, 4);
  EXPECT_EQ(options.fabric->rails, 2);
  EXPECT_EQ(options.rate, Rate{1'000'000'000});
  ASSERT_EQ(options.faults.size(), 3U);
  EXPECT_EQ(options.faults[1].part, "host-7-e1");
  const auto network = plan_network(options);
  EXPECT_EQ(network.burst_bytes, 32U << 10U);
  EXPECT_EQ(plan_network(parse_run({"run", "--fabric", path_, "--burst", "4K", "--", "x"})).burst_bytes, 4U << 10U);
  EXPECT_EQ(network.links[network.uplink(0, 2)].rate, Rate{50'000'000});
  EXPECT_EQ(network.links[network.uplink(1, 2)].rate, Rate{500'000'000});
}

TEST_F(FabricFileTest, problems_name_the_line) {
  write("leaves: 2\nhosts_per_leaf: 0\nspeed: 1gbit\nuplink: fast\nfaults: ['leaf1:dawn@1s']\nburst: 1K\n");
  EXPECT_THAT(refusal({"run", "--fabric", path_, "--", "x"}),
              AllOf(HasSubstr(":2:"), HasSubstr(":3:"), HasSubstr(":4:"), HasSubstr(":5:"), HasSubstr(":6:"),
                    HasSubstr("speed")));
  write("leaves: 2\nhosts_per_leaf: 1\nlinks: {leaf3-spine1: 1gbit}\n");
  EXPECT_THAT(refusal({"run", "--fabric", path_, "--", "x"}),
              AllOf(HasSubstr("leaf3-spine1"), HasSubstr("leaf1-spine1")));
}

TEST(LabOptionsTest, a_bad_name_lists_the_links_that_exist) {
  EXPECT_THAT(refusal({"run", "--leaves", "2", "--hosts-per-leaf", "1", "--fault", "leaf1-spine9:down@1s", "--", "x"}),
              AllOf(HasSubstr("leaf1-spine9"), HasSubstr("leaf1-spine2"), HasSubstr("host-0-e0")));
  EXPECT_TRUE(
      std::holds_alternative<ShowNetwork>(parse_request({"run", "--leaves", "2", "--hosts-per-leaf", "1", "--show"})));
}

TEST(LabOptionsTest, vm_has_everything) {
  const auto options = std::get<VmOptions>(
      parse_request({"vm", "--hosts", "3", "--rate", "40mbit", "--delay", "5ms", "--loss", "0.5", "--cut", "2@3s",
                     "--timeout", "20", "--share", "/tmp", "--", "program", "it's"}));
  EXPECT_EQ(options.hosts, 3);
  EXPECT_EQ(options.rate, Rate{40'000'000});
  EXPECT_EQ(options.delay, milliseconds(5));
  EXPECT_EQ(options.loss_percent, 0.5);
  EXPECT_EQ(options.cuts.at(0).host, 2);
  EXPECT_EQ(options.timeout, milliseconds(20'000));
  EXPECT_THAT(options.shares, ElementsAre("/tmp"));
  EXPECT_THAT(options.command, ElementsAre("program", "it's"));
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(options.spines, 0);
  const auto fabric = std::get<VmOptions>(parse_request({"vm", "--spines", "2", "--rate", "40mbit", "--", "program"}));
  EXPECT_EQ(fabric.spines, 2);
  EXPECT_EQ(fabric.uplink, Rate{40'000'000});
}

TEST(LabOptionsTest, vm_refuses_what_it_cannot_have) {
  EXPECT_THAT(refusal({"vm", "--hosts", "9", "--", "x"}), AllOf(HasSubstr("--hosts"), HasSubstr("1 to 8")));
  EXPECT_THAT(refusal({"vm", "--loss", "60", "--", "x"}), AllOf(HasSubstr("--loss"), HasSubstr("0 to 50")));
  EXPECT_THAT(refusal({"vm", "--delay", "5", "--", "x"}), AllOf(HasSubstr("--delay"), HasSubstr("500ms")));
  EXPECT_THAT(refusal({"vm", "--share", "/no/such", "--", "x"}),
              AllOf(HasSubstr("--share"), HasSubstr("existing folder")));
  EXPECT_THAT(refusal({"vm", "--hosts", "2"}), HasSubstr("command is missing"));
  EXPECT_THAT(refusal({"vm", "--uplink", "40mbit", "--", "x"}), HasSubstr("--spines"));
  EXPECT_THAT(refusal({"vm", "--hosts", "1", "--spines", "2", "--", "x"}), HasSubstr("--hosts 2"));
  EXPECT_THAT(refusal({"vm", "--hosts", "4", "--cut", "4@3s", "--", "x"}), HasSubstr("--cut 4@3s"));
  EXPECT_THAT(refusal({"vm", "--hosts", "99", "--cut", "5@3s", "--", "x"}), Not(HasSubstr("--cut")));
}

TEST(LabOptionsTest, command_keeps_its_arguments_as_they_are) {
  const auto options = parse_run({"run", "--hosts", "1", "--", "sh", "--hosts", "9", "--", "--help", "run"});
  EXPECT_EQ(options.hosts, 1);
  EXPECT_THAT(options.command, ElementsAre("sh", "--hosts", "9", "--", "--help", "run"));
}

TEST(LabOptionsTest, other_requests) {
  const auto exec = std::get<ExecOptions>(parse_request({"exec", "host-2", "--", "ip", "address"}));
  EXPECT_EQ(exec.host, "host-2");
  EXPECT_THAT(exec.command, ElementsAre("ip", "address"));
  EXPECT_TRUE(std::holds_alternative<ShowHosts>(parse_request({"hosts"})));
  EXPECT_TRUE(std::holds_alternative<ShowCounters>(parse_request({"counters"})));
  EXPECT_THAT(std::get<ShowText>(parse_request({"--version"})).text, HasSubstr("ringmark-lab "));
  EXPECT_THAT(std::get<ShowText>(parse_request({"--help"})).text, HasSubstr("counters"));
  EXPECT_THAT(std::get<ShowText>(parse_request({"run", "--help"})).text, HasSubstr("--host-rate"));
}

TEST(LabOptionsTest, refusal_names_flag_value_and_what_is_allowed) {
  EXPECT_THAT(refusal({"run", "--hosts", "2", "--rate", "fast", "--", "x"}),
              AllOf(HasSubstr("--rate fast: "), HasSubstr("1gbit")));
  EXPECT_THAT(refusal({"run", "--hosts", "251", "--", "x"}), AllOf(HasSubstr("--hosts 251: "), HasSubstr("1 to 250")));
  EXPECT_THAT(refusal({"run", "--hosts", "2", "--host-rate", "2=1gbit", "--", "x"}),
              AllOf(HasSubstr("--host-rate 2=1gbit: "), HasSubstr("0 to 1")));
  EXPECT_THAT(refusal({"run", "--hosts", "2", "--cut", "1@3", "--", "x"}),
              AllOf(HasSubstr("--cut 1@3: "), HasSubstr("2@3s")));
  EXPECT_THAT(refusal({"run", "--hosts", "2", "--timeout", "never", "--", "x"}),
              AllOf(HasSubstr("--timeout never: "), HasSubstr("seconds")));
  EXPECT_THAT(refusal({"start"}), AllOf(HasSubstr("'start'"), HasSubstr("exec")));
  EXPECT_THAT(refusal({"run", "--hosts", "2", "hostname"}), AllOf(HasSubstr("hostname"), HasSubstr("\"--\"")));
}

TEST(LabOptionsTest, refusal_names_all_wrong_flags_and_what_a_misspelt_one_may_mean) {
  EXPECT_THAT(refusal({"run", "--hosts", "2", "--rate", "fast", "--cut", "2@1s", "--timeout", "0"}),
              AllOf(HasSubstr("--rate fast"), HasSubstr("--cut 2@1s"), HasSubstr("--timeout 0"),
                    HasSubstr("command is missing")));
  EXPECT_THAT(refusal({"run", "--hosts", "0", "--cut", "2@1s", "--", "x"}), Not(HasSubstr("--cut")));
  EXPECT_THAT(refusal({"vm", "--delays", "5ms", "--", "x"}), HasSubstr("did you mean --delay?"));
}

class RefusedOptionsTest : public testing::TestWithParam<Words> {};

TEST_P(RefusedOptionsTest, is_a_usage_error) { EXPECT_THROW(parse_request(GetParam()), BadUsage); }

INSTANTIATE_TEST_SUITE_P(
    Arguments, RefusedOptionsTest,
    testing::Values(Words{}, Words{"run"}, Words{"run", "--", "x"}, Words{"run", "--hosts", "2"},
                    Words{"run", "--hosts", "2", "--"}, Words{"run", "--hosts", "0", "--", "x"},
                    Words{"run", "--hosts", "-1", "--", "x"}, Words{"run", "--hosts", "2x", "--", "x"},
                    Words{"run", "--hosts", "2", "--hosts", "3", "--", "x"},
                    Words{"run", "--hosts", "2", "--bogus", "--", "x"},
                    Words{"run", "--hosts", "2", "--host-rate", "1", "--", "x"},
                    Words{"run", "--hosts", "2", "--host-rate", "x=1gbit", "--", "x"},
                    Words{"run", "--hosts", "2", "--host-rate", "1=1gbit", "--host-rate", "1=2gbit", "--", "x"},
                    Words{"run", "--hosts", "2", "--cut", "2@1s", "--", "x"},
                    Words{"run", "--hosts", "2", "--cut", "-1@1s", "--", "x"},
                    Words{"run", "--hosts", "2", "--cut", "1@25m@", "--", "x"},
                    Words{"run", "--hosts", "2", "--cut", "1@-1s", "--", "x"},
                    Words{"run", "--hosts", "2", "--cut", "1@1441m", "--", "x"},
                    Words{"run", "--hosts", "2", "--timeout", "0", "--", "x"},
                    Words{"run", "--hosts", "2", "--timeout", "", "--", "x"},
                    Words{"run", "--hosts", "2", "--timeout", "-3", "--", "x"}, Words{"exec", "--", "x"},
                    Words{"exec", "1"}, Words{"hosts", "--", "x"}, Words{"counters", "1"}));

}  // namespace
}  // namespace ringmark::lab
