#include "history/answers/chains.hpp"

#include <gmock/gmock.h>

#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

TEST_F(StoreTest, a_setting_that_is_changed_one_day_goes_on_as_the_same_chain) {
  add_daily({10, 10, 10, 11, 11}, [](Record& row, int number) {
    if (number >= 3) row.settings.others["NCCL_ALGO"] = "Ring";
  });
  const auto chains = chains_of(store(), all_series(store()), {});
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(chains[0].series.size(), 2U);
  EXPECT_EQ(chains[0].launches.size(), 5U);
  EXPECT_EQ(chains[0].series_of, (std::vector<std::size_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(chains[0].points()[4].value, 11);
}

TEST_F(StoreTest, settings_that_are_measured_side_by_side_are_chains_of_their_own) {
  add_daily({10, 20, 10, 20, 10, 20},
            [](Record& row, int number) { row.settings.others["NCCL_ALGO"] = number % 2 == 0 ? "Ring" : "Tree"; });
  const auto chains = chains_of(store(), all_series(store()), {});
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(distinctions(chains), (std::vector<std::string>{"NCCL_ALGO=Ring", "NCCL_ALGO=Tree"}));
}

TEST_F(StoreTest, the_chain_with_the_fewest_differences_goes_on) {
  add_daily({10, 20, 10, 20, 11, 21, 11, 21}, [](Record& row, int number) {
    row.settings.others["NCCL_ALGO"] = number % 2 == 0 ? "Ring" : "Tree";
    if (number >= 4) row.settings.others["NCCL_BUFFSIZE"] = "8M";
  });
  const auto chains = chains_of(store(), all_series(store()), {});
  ASSERT_EQ(chains.size(), 2U);
  for (const auto& chain : chains) {
    ASSERT_EQ(chain.series.size(), 2U);
    EXPECT_EQ(choices_of(chain.series[0]).at("NCCL_ALGO"), choices_of(chain.series[1]).at("NCCL_ALGO"));
  }
}

TEST_F(StoreTest, labels_are_in_the_name_of_a_case) {
  add_daily({10, 20, 10, 20},
            [](Record& row, int number) { row.settings.others["label.rack"] = number % 2 == 0 ? "a" : "b"; });
  const auto chains = chains_of(store(), all_series(store()), {});
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_THAT(names_of(chains),
              testing::UnorderedElementsAre(testing::EndsWith("1M, rack=a"), testing::EndsWith("1M, rack=b")));
}

TEST_F(StoreTest, other_cases_never_join) {
  add_daily({10, 10, 10, 20, 20}, [](Record& row, int number) {
    if (number >= 3) row.size_bytes = 2048;
  });
  const auto chains = chains_of(store(), all_series(store()), {});
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_NE(chains[0].case_name, chains[1].case_name);
}

}  // namespace
}  // namespace ringmark::history
