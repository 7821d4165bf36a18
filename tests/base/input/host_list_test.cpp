#include "base/input/host_list.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

using Names = std::vector<std::string>;

TEST(HostList, expands_ranges_and_keeps_their_width) {
  EXPECT_EQ(expand_host_list("node[01-04,07]"), (Names{"node01", "node02", "node03", "node04", "node07"}));
  EXPECT_EQ(expand_host_list("n[8-11]"), (Names{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(expand_host_list("a[098-101]"), (Names{"a098", "a099", "a100", "a101"}));
}

TEST(HostList, takes_several_brackets_and_plain_names) {
  EXPECT_EQ(expand_host_list("r[1-2]n[0,3]-ib,login,10.0.0.7"),
            (Names{"r1n0-ib", "r1n3-ib", "r2n0-ib", "r2n3-ib", "login", "10.0.0.7"}));
}

TEST(HostList, refuses_what_it_cannot_expand) {
  for (const char* list :
       {"n[1-", "n]1[", "n[[1]]", "n[]", "n[4-1]", "n[a-b]", "a,,b", "n[1-99999999]", "n[0000000000000000001-2]"})
    EXPECT_THROW(expand_host_list(list), BadUsage) << list;
}

TEST(HostList, is_short_and_keeps_the_order) {
  const struct {
    Names hosts;
    const char* list;
  } cases[]{{{"n1", "n2", "n3", "n7"}, "n[1-3,7]"},
            {{"n8", "n9", "n10", "n11"}, "n[8-11]"},
            {{"n08", "n09", "n10"}, "n[08-10]"},
            {{"n9", "n010"}, "n[9,010]"},
            {{"n2", "n1", "n2"}, "n[2,1-2]"},
            {{"login", "r1n0-ib", "r1n1-ib", "r2n0-ib"}, "login,r1n[0-1]-ib,r2n0-ib"},
            {{"10.0.0.7", "10.0.0.8"}, "10.0.0.[7-8]"},
            {{"a1234567890123456789", "a1234567890123456790"}, "a1234567890123456789,a1234567890123456790"},
            {{"one"}, "one"},
            {{}, ""}};
  for (const auto& each : cases) {
    EXPECT_EQ(fold_host_list(each.hosts), each.list);
    EXPECT_EQ(expand_host_list(each.list), each.hosts) << each.list;
  }
}

TEST(HostList, names_of_one_host_may_differ_in_their_domain) {
  EXPECT_TRUE(is_same_host("node1", "node1.cluster"));
  EXPECT_TRUE(is_same_host("node1.a", "node1.b"));
  EXPECT_FALSE(is_same_host("node1", "node10"));
  EXPECT_TRUE(is_same_host("10.77.0.3", "10.77.0.3"));
  EXPECT_FALSE(is_same_host("10.77.0.3", "10.77.0.4"));
  EXPECT_FALSE(is_same_host("fd00::1", "fd00::2"));
}

}  // namespace
}  // namespace ringmark
