#include "replay/import/lattice.hpp"

#include <gtest/gtest.h>

namespace ringmark::replay {
namespace {

using Dimensions = std::vector<RankGroup::Dimension>;

TEST(Lattices, of_neighbours_and_every_nth_have_one_dimension) {
  EXPECT_EQ(lattice_of({4, 5, 6, 7})->dimensions, (Dimensions{{4, 1}}));
  EXPECT_EQ(lattice_of({3, 11, 19})->dimensions, (Dimensions{{3, 8}}));
  EXPECT_TRUE(lattice_of({9})->dimensions.empty());
}

TEST(Lattices, of_blocks_at_a_distance_have_two) {
  const auto group = lattice_of({2, 3, 10, 11, 18, 19});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->dimensions, (Dimensions{{2, 1}, {3, 8}}));
  EXPECT_EQ(name_of(*group, 24), "2x3 every 1 and 8");
}

TEST(Lattices, are_none_where_ranks_cannot_be_cut_so) {
  EXPECT_FALSE(lattice_of({1, 2})) << "the groups of two neighbours begin at even ranks";
  EXPECT_FALSE(lattice_of({0, 1, 3}));
  EXPECT_FALSE(lattice_of({1, 0}));
  EXPECT_FALSE(lattice_of({}));
}

TEST(Lattices, have_the_names_of_other_groups) {
  EXPECT_EQ(name_of(*lattice_of({0, 1, 2, 3}), 4), "all");
  EXPECT_EQ(name_of(*lattice_of({0, 1}), 4), "block2");
  EXPECT_EQ(name_of(*lattice_of({1, 3}), 4), "stride2");
  EXPECT_EQ(name_of(*lattice_of({1, 3}), 8), "2 every 2") << "which is not every second of all";
}

}  // namespace
}  // namespace ringmark::replay
