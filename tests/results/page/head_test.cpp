#include "results/page/head.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(PageHead, leaves_out_what_is_unknown) {
  EXPECT_TRUE(PageHead{}.facts().empty());
  const PageHead head{.question = "Is it fast?", .settings = {{"Labels", ""}, {"Cases", "all_reduce"}}};
  EXPECT_EQ(head.facts(), (std::vector<PageHead::Fact>{{"Question", "Is it fast?"}, {"Cases", "all_reduce"}}));
}

TEST(PageHead, folds_hosts_and_counts_them) {
  EXPECT_EQ(hosts_in_words({}), "");
  EXPECT_EQ(hosts_in_words({"login"}), "login (1 host)");
  EXPECT_EQ(hosts_in_words({"node01", "node02", "node03", "node07"}), "node[01-03,07] (4 hosts)");
}

TEST(PageHead, a_period_names_each_day_once) {
  EXPECT_EQ(period_in_words("", ""), "");
  EXPECT_EQ(period_in_words("2026-11-27T09:51:50Z", ""), "2026-11-27 09:51 UTC");
  EXPECT_EQ(period_in_words("2026-11-27T09:51:50Z", "2026-11-27T09:51:59Z"), "2026-11-27 09:51 UTC");
  EXPECT_EQ(period_in_words("2026-11-27T09:51:50Z", "2026-11-27T10:02:00Z"), "2026-11-27 09:51 to 10:02 UTC");
  EXPECT_EQ(period_in_words("2026-11-27T23:51:50Z", "2026-11-28T00:02:00Z"),
            "2026-11-27 23:51 to 2026-11-28 00:02 UTC");
}

TEST(PageHead, times_of_others_stay_as_they_are) { EXPECT_EQ(period_in_words("yesterday", "yesterday"), "yesterday"); }

}  // namespace
}  // namespace ringmark
