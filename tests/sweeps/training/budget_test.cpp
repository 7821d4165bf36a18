#include "sweeps/training/budget.hpp"

#include <gmock/gmock.h>

#include "tests/sweeps/training/training_fixture.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using BudgetTest = TrainingFixture;

constexpr Shares wanted{.collective = 18, .strategy = 16, .framework = 16, .link = 1, .verify = 6};

int total(const Shares& shares) {
  return shares.collective + shares.strategy + shares.framework + shares.link + most_verified * shares.verify;
}

TEST_F(BudgetTest, shares_never_exceed_the_launches_and_every_step_has_some) {
  for (int launches = 17; launches < 200; ++launches) {
    const auto given = run("budget: {launches: " + std::to_string(launches) + "}\n");
    const auto shares = shares_of(given, wanted);
    EXPECT_LE(total(shares), launches);
    EXPECT_GE(shares.verify, least_verify);
    for (const int each : {shares.collective, shares.strategy, shares.framework}) EXPECT_GE(each, 2) << launches;
    EXPECT_LE(shares.verify, wanted.verify);
  }
  EXPECT_EQ(total(shares_of(run(), wanted)), total(wanted));
}

TEST_F(BudgetTest, too_few_launches_are_refused_with_the_least_number) {
  const auto given = run("budget: {launches: 16}\n");
  EXPECT_THAT(problems([&] { shares_of(given, wanted); }), ElementsAre(HasSubstr("at least 17")));
  const auto verified = run("budget: {launches: 20}\nverify: 5\n");
  EXPECT_THAT(problems([&] { shares_of(verified, wanted); }), ElementsAre(HasSubstr("at least 32")));
}

TEST_F(BudgetTest, a_launch_gets_the_time_that_is_left_and_none_begins_without) {
  const auto given = run("budget: {time: 60s}\ngrace: 5s\n");
  Budget fresh(given, 0);
  const auto first = fresh.next_launch();
  ASSERT_TRUE(first);
  EXPECT_LE(*first, std::chrono::seconds(55));
  Budget spent(given, 56);
  EXPECT_THROW(spent.next_launch(), BudgetSpent);
  const auto unlimited = run();
  EXPECT_FALSE(Budget(unlimited, 1e9).next_launch());
}

}  // namespace
}  // namespace ringmark::sweep
