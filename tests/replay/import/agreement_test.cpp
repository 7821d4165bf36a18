#include "replay/import/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Imported recording(std::optional<int> rank, std::optional<int> world) {
  Imported imported;
  imported.rank = rank;
  imported.world = world;
  return imported;
}

/// Empty if they may be of one run.
std::string difference(const Imported& first, const Imported& other) {
  try {
    require_another_rank("a.json", first, "b.json", other);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(Agreement, of_recordings_is_of_different_ranks_of_one_number) {
  EXPECT_EQ(difference(recording(0, 4), recording(1, 4)), "");
  EXPECT_EQ(difference(recording(0, 4), recording({}, {})), "");
  EXPECT_EQ(difference(recording({}, {}), recording({}, {})), "");
  EXPECT_THAT(difference(recording(2, 4), recording(2, 4)),
              AllOf(HasSubstr("a.json"), HasSubstr("b.json"), HasSubstr("rank 2")));
  EXPECT_THAT(difference(recording(0, 4), recording(1, 8)),
              AllOf(HasSubstr("a.json is from a run of 4 ranks"), HasSubstr("b.json from one of 8")));
}

TEST(Agreement, of_a_recording_is_of_groups_within_all_ranks) {
  auto imported = recording(0, 4);
  imported.communicators = {{0, 4, {}}, {0, 2, {0, 3}}};
  EXPECT_NO_THROW(require_groups_within_world("a.json", imported));
  imported.communicators[1].members = {0, 4};
  EXPECT_THROW(require_groups_within_world("a.json", imported), BadUsage);
  imported.communicators = {{0, 8, {}}};
  EXPECT_THROW(require_groups_within_world("a.json", imported), BadUsage);
  imported.world.reset();
  EXPECT_NO_THROW(require_groups_within_world("a.json", imported));
  EXPECT_THROW(require_groups_within_world("a.json", recording(4, 4)), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
