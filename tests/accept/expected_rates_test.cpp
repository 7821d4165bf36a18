#include "accept/expected_rates.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::accept {
namespace {

class ExpectedRates : public history::StoreTest {
 protected:
  static Criteria criteria(const std::string& expect) {
    const auto [read, problems] = read_criteria("hosts: 'a,b,c,d'\n" + expect, "c.yaml");
    EXPECT_EQ(to_text(problems), "");
    return read;
  }
};

TEST_F(ExpectedRates, are_the_rates_of_the_clusters_own_launches) {
  add_daily({100, 101, 100, 99, 100, 101});
  auto asked = criteria("expect: history\n");
  const auto words = fill_in_expected_rates(asked, {path("history.db"), "lab"});
  ASSERT_TRUE(asked.busbw_GBps);
  EXPECT_NEAR(*asked.busbw_GBps, 1048576 / 100e3 * 1.5, 0.01);
  EXPECT_FALSE(asked.link_GBps);
  EXPECT_NE(words.find("6 launches"), std::string::npos);
}

TEST_F(ExpectedRates, are_of_the_transport_that_the_stage_measures) {
  add_daily({100, 101, 100, 99, 100, 101}, [](Record& row, int) { row.transport = Transport::nccl; });
  auto of_tcp = criteria("expect: history\n");
  EXPECT_THROW(fill_in_expected_rates(of_tcp, {path("history.db"), "lab"}), BadUsage);
  auto of_nccl = criteria("expect: history\narguments: {together: {transport: nccl}}\n");
  fill_in_expected_rates(of_nccl, {path("history.db"), "lab"});
  EXPECT_TRUE(of_nccl.busbw_GBps);
  auto of_bytes = criteria("expect: history\narguments: {transport: nccl, datatype: int8}\n");
  EXPECT_THROW(fill_in_expected_rates(of_bytes, {path("history.db"), "lab"}), BadUsage);
}

TEST_F(ExpectedRates, need_a_store_with_launches_of_this_cluster) {
  add_daily({100, 101, 100, 99, 100, 101});
  auto asked = criteria("expect: history\n");
  EXPECT_THROW(fill_in_expected_rates(asked, {"", "lab"}), BadUsage);
  EXPECT_THROW(fill_in_expected_rates(asked, {path("history.db"), "cloud"}), BadUsage);
}

TEST_F(ExpectedRates, are_looked_up_only_if_asked) {
  auto asked = criteria("expect: {busbw_GBps: 1}\n");
  EXPECT_EQ(fill_in_expected_rates(asked, {path("none.db"), "lab"}), "");
  EXPECT_EQ(asked.busbw_GBps, 1);
}

TEST_F(ExpectedRates, are_published_ones_of_the_same_size_and_number_of_ranks) {
  auto asked = criteria("rails: 8\nsize: 4G\nexpect: {published: h100_sxm}\n");
  const auto words = fill_in_expected_rates(asked, {});
  ASSERT_TRUE(asked.busbw_GBps);
  EXPECT_NEAR(*asked.busbw_GBps, 359.0, 0.1);
  EXPECT_NE(words.find("https://"), std::string::npos);
  auto of_three = criteria("rails: 3\nsize: 4G\nexpect: {published: h100_sxm}\n");
  EXPECT_THROW(fill_in_expected_rates(of_three, {}), BadUsage);
  auto small = criteria("rails: 8\nsize: 1M\nexpect: {published: h100_sxm}\n");
  EXPECT_THROW(fill_in_expected_rates(small, {}), BadUsage) << "published rates are of operations back to back";
}

TEST_F(ExpectedRates, are_given_once) {
  EXPECT_NE(to_text(read_criteria("hosts: 'a,b,c'\nexpect: {published: h100_sxm, busbw_GBps: 1}\n", "c.yaml").problems),
            "");
}

}  // namespace
}  // namespace ringmark::accept
