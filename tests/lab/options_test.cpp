#include "lab/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

RunOptions parse_run(const Words& arguments) { return std::get<RunOptions>(parse_request(arguments)); }

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

TEST(LabOptionsTest, cuts_are_in_the_order_of_their_times) {
  const auto options =
      parse_run({"run", "--hosts", "3", "--cut", "2@3s", "--cut", "1@500ms", "--cut", "0@1m", "--", "x"});
  ASSERT_EQ(options.cuts.size(), 3U);
  EXPECT_EQ(options.cuts[0].host, 1);
  EXPECT_EQ(options.cuts[0].after, milliseconds(500));
  EXPECT_EQ(options.cuts[1].after, milliseconds(3000));
  EXPECT_EQ(options.cuts[2].after, milliseconds(60000));
}

TEST(LabOptionsTest, defaults_are_unshaped_and_unlimited) {
  const auto options = parse_run({"run", "--hosts", "1", "--", "x"});
  EXPECT_FALSE(options.rate.shaped());
  EXPECT_FALSE(options.timeout);
  EXPECT_TRUE(options.cuts.empty());
  EXPECT_FALSE(options.verbose);
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
}

TEST(LabOptionsTest, vm_refuses_what_it_cannot_have) {
  EXPECT_THAT(refusal({"vm", "--hosts", "9", "--", "x"}), AllOf(HasSubstr("--hosts"), HasSubstr("1 to 8")));
  EXPECT_THAT(refusal({"vm", "--loss", "60", "--", "x"}), AllOf(HasSubstr("--loss"), HasSubstr("0 to 50")));
  EXPECT_THAT(refusal({"vm", "--delay", "5", "--", "x"}), AllOf(HasSubstr("--delay"), HasSubstr("500ms")));
  EXPECT_THAT(refusal({"vm", "--share", "/no/such", "--", "x"}),
              AllOf(HasSubstr("--share"), HasSubstr("existing folder")));
  EXPECT_THAT(refusal({"vm", "--hosts", "2"}), HasSubstr("command is missing"));
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
  EXPECT_THAT(refusal({"vm", "--delays", "5ms", "--", "x"}), HasSubstr("is --delay meant?"));
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
