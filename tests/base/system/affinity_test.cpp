#include "base/system/affinity.hpp"

#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Affinity, reads_the_kernels_lists) {
  EXPECT_THAT(cores_in("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(cores_in("5"), ElementsAre(5));
  EXPECT_THAT(cores_in("1030-1031"), ElementsAre(1030, 1031));
  EXPECT_THAT(cores_in(""), IsEmpty());
  EXPECT_THAT(cores_in("-1"), IsEmpty());
  EXPECT_THAT(cores_in("0-99999999"), IsEmpty());
}

TEST(Affinity, binds_a_thread_to_what_it_may_use) {
  std::thread([] {
    const auto all = usable_cores();
    ASSERT_FALSE(all.empty());
    bind_to({all.back()});
    EXPECT_THAT(usable_cores(), ElementsAre(all.back()));
    EXPECT_THAT(usable_of(all), ElementsAre(all.back()));
    EXPECT_THAT(usable_of({all.back() + 1}), IsEmpty());
    EXPECT_THROW(bind_to({8000}), std::system_error) << "there is no such core";
  }).join();
}

TEST(Affinity, of_a_sticky_core_is_for_what_is_short) {
  std::thread([] {
    const auto all = usable_cores();
    StickyCore sticky_core(static_cast<int>(all.size()) + 1);
    EXPECT_EQ(usable_cores(), all) << "nothing has begun";
    const std::vector own{all[1 % all.size()]};
    sticky_core.begin_short();
    EXPECT_EQ(usable_cores(), own);
    sticky_core.begin_long();
    EXPECT_EQ(usable_cores(), all);
    sticky_core.begin_short();
    EXPECT_EQ(usable_cores(), all) << "something long runs beside it";
    sticky_core.end_long();
    EXPECT_EQ(usable_cores(), all) << "until something short begins";
    sticky_core.begin_short();
    EXPECT_EQ(usable_cores(), own);
  }).join();
}

TEST(Affinity, knows_no_cores_beside_the_loopback) { EXPECT_FALSE(cores_near("lo")); }

}  // namespace
}  // namespace ringmark
