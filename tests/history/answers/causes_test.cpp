#include "history/answers/causes.hpp"

#include <gmock/gmock.h>

#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

class Causes : public StoreTest {
 protected:
  std::vector<Cause> causes(std::size_t first) {
    const auto chains = chains_of(store(), all_series(store()), {});
    EXPECT_EQ(chains.size(), 1U);
    return causes_of(store(), chains.front(), first, host_spans(store(), {}));
  }
  void add_days(int count, const std::function<void(Record&, int)>& change) {
    add_daily(std::vector<double>(static_cast<std::size_t>(count), 10), change);
  }
};

TEST_F(Causes, a_version_and_a_setting_that_changed_are_candidates) {
  add_days(20, [](Record& row, int number) {
    row.settings.others["driver_version"] = number < 10 ? "570" : "580";
    row.settings.others["nccl_version"] = "2.28.9";
    if (number >= 10) row.settings.others["NCCL_ALGO"] = "Ring";
  });
  EXPECT_THAT(causes(10), testing::UnorderedElementsAre(Cause{"driver_version", "570", "580"},
                                                        Cause{"NCCL_ALGO", "unset", "Ring"}));
}

TEST_F(Causes, the_place_of_a_change_may_be_off_by_a_few_launches) {
  add_days(20, [](Record& row, int number) { row.settings.others["driver_version"] = number < 10 ? "570" : "580"; });
  EXPECT_EQ(causes(8).size(), 1U);
  EXPECT_EQ(causes(13).size(), 1U);
  EXPECT_TRUE(causes(15).empty());
  EXPECT_TRUE(causes(4).empty());
}

TEST_F(Causes, a_value_that_comes_and_goes_is_none) {
  add_days(20, [](Record& row, int number) {
    row.settings.others["driver_version"] = number % 2 == 0 ? "570" : "580";
    row.settings.others["nccl_version"] = number == 10 ? "2.27" : "2.28";
  });
  EXPECT_TRUE(causes(10).empty());
}

TEST_F(Causes, a_host_that_is_replaced_is_a_candidate) {
  add_days(20, [](Record& row, int number) { row.settings.hosts = number < 10 ? "node1,node2" : "node1,node3"; });
  EXPECT_THAT(causes(10), testing::ElementsAre(Cause{"hosts", "node2", "node3"}));
}

TEST_F(Causes, hosts_that_launches_choose_among_are_none) {
  add_days(40, [](Record& row, int number) {
    row.settings.hosts = fmt::format("node{},node{}", number % 7, (number + 3) % 7);
  });
  EXPECT_TRUE(causes(20).empty());
}

}  // namespace
}  // namespace ringmark::history
