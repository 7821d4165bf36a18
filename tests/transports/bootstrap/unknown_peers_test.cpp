#include "transports/bootstrap/unknown_peers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

constexpr bool shares_ports = true;

TEST(UnknownPeers, tells_five_refusals_and_counts_them_all) {
  UnknownPeers account;
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(account.refuse(fmt::format("10.0.0.{}:99", i), "it sent nothing", 7),
              fmt::format("ringmark: rank 0 refused 10.0.0.{}:99: it sent nothing; still waiting for 7 ranks\n", i));
    EXPECT_EQ(account.summary(!shares_ports), "") << "each was told";
  }
  EXPECT_EQ(account.refuse("10.0.0.6:99", "it sent nothing", 7), "");
  EXPECT_EQ(account.summary(!shares_ports), "ringmark: rank 0 refused 6 connections while the ranks met\n");
  EXPECT_EQ(account.summary(shares_ports), account.summary(!shares_ports));
}

TEST(UnknownPeers, counts_the_silent_by_host_where_ports_are_its_own) {
  UnknownPeers account;
  EXPECT_EQ(account.summary(!shares_ports), "");
  account.note_silent("10.0.0.2");
  EXPECT_EQ(account.summary(!shares_ports),
            "ringmark: 1 connection to rank 0 sent nothing while the ranks met: 1 from 10.0.0.2\n");
  account.note_silent("10.0.0.1");
  account.note_silent("10.0.0.2");
  EXPECT_EQ(account.summary(!shares_ports),
            "ringmark: 3 connections to rank 0 sent nothing while the ranks met: 1 from 10.0.0.1, 2 from 10.0.0.2\n");
  EXPECT_EQ(account.summary(shares_ports), "");
}

TEST(UnknownPeers, names_five_hosts_and_counts_the_others) {
  UnknownPeers account;
  for (int host = 1; host <= 6; ++host) account.note_silent(fmt::format("h{}", host));
  EXPECT_EQ(account.summary(!shares_ports),
            "ringmark: 6 connections to rank 0 sent nothing while the ranks met: 1 from h1, 1 from h2, 1 from h3, 1 "
            "from h4, 1 from h5, …\n");
}

}  // namespace
}  // namespace ringmark
