#include "accept/usual_expectations.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::accept {
namespace {

class UsualExpectations : public history::StoreTest {
 protected:
  static Criteria criteria(const std::string& expect) {
    const auto [read, problems] = read_criteria("hosts: 'a,b,c,d'\n" + expect, "c.yaml");
    EXPECT_EQ(to_text(problems), "");
    return read;
  }
};

TEST_F(UsualExpectations, are_the_rates_of_the_clusters_own_launches) {
  add_daily({100, 101, 100, 99, 100, 101});
  auto asked = criteria("expect: history\n");
  const auto words = expect_what_is_usual(asked, {path("history.db"), "lab"});
  ASSERT_TRUE(asked.busbw_GBps);
  EXPECT_NEAR(*asked.busbw_GBps, 1048576 / 100e3 * 1.5, 0.01);
  EXPECT_FALSE(asked.link_GBps);
  EXPECT_NE(words.find("6 launches"), std::string::npos);
}

TEST_F(UsualExpectations, need_a_store_with_launches_of_this_cluster) {
  add_daily({100, 101, 100, 99, 100, 101});
  auto asked = criteria("expect: history\n");
  EXPECT_THROW(expect_what_is_usual(asked, {"", "lab"}), BadUsage);
  EXPECT_THROW(expect_what_is_usual(asked, {path("history.db"), "cloud"}), BadUsage);
}

TEST_F(UsualExpectations, are_looked_up_only_if_asked) {
  auto asked = criteria("expect: {busbw_GBps: 1}\n");
  EXPECT_EQ(expect_what_is_usual(asked, {path("none.db"), "lab"}), "");
  EXPECT_EQ(asked.busbw_GBps, 1);
}

}  // namespace
}  // namespace ringmark::accept
