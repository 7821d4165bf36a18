#include "lab/remote_shell.hpp"

#include <gtest/gtest.h>

#include "lab/errors.hpp"

namespace ringmark::lab {
namespace {

using Words = std::vector<std::string>;

struct Case {
  Words arguments;
  std::string host, command;
};

class RemoteCommandTest : public testing::TestWithParam<Case> {};

TEST_P(RemoteCommandTest, finds_host_and_command) {
  const RemoteCommand remote = parse_remote_command(GetParam().arguments);
  EXPECT_EQ(remote.host, GetParam().host);
  EXPECT_EQ(remote.command, GetParam().command);
}

INSTANTIATE_TEST_SUITE_P(Arguments, RemoteCommandTest,
                         testing::Values(Case{{"10.77.0.2", "hostname"}, "10.77.0.2", "hostname"},
                                         Case{{"-x", "10.77.0.2", "\"/usr/bin/proxy\"", "--port", "1"},
                                              "10.77.0.2",
                                              "\"/usr/bin/proxy\" --port 1"},
                                         Case{{"-o", "BatchMode=yes", "-p", "22", "-q", "host-1", "a"}, "host-1", "a"},
                                         Case{{"-oBatchMode=yes", "-p22", "-xq", "host-1", "a"}, "host-1", "a"},
                                         Case{{"-xp", "22", "host-1", "a"}, "host-1", "a"},
                                         Case{{"--", "host-1", "a", "-b"}, "host-1", "a -b"},
                                         Case{{"user@host-1", "a"}, "host-1", "a"},
                                         Case{{"host-1", "-n"}, "host-1", "-n"}));

TEST(RemoteCommandTest, refuses_without_host_or_command) {
  EXPECT_THROW(parse_remote_command({}), BadUsage);
  EXPECT_THROW(parse_remote_command({"-x"}), BadUsage);
  EXPECT_THROW(parse_remote_command({"-p"}), BadUsage);
  EXPECT_THROW(parse_remote_command({"host-1"}), BadUsage);
}

}  // namespace
}  // namespace ringmark::lab
