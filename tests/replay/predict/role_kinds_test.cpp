#include "replay/predict/role_kinds.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/replay/role_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing_support::small_roles;
using testing_support::tensors_and_pipeline;

TEST(RoleKinds, are_the_roles_where_no_rank_is_slow) {
  const auto trace = small_roles(tensors_and_pipeline, 16);
  const RoleKinds kinds(trace, {}, false);
  EXPECT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds.kind_of(15), 1U);
  EXPECT_EQ(RoleKinds(trace, {}, true).size(), 16U);
}

/// Tensor 2, data 4, pipeline 2. By stage: the slow rank and its peers along the pipeline, those in its tensor group,
/// those in its data group, and the others.
TEST(RoleKinds, tell_ranks_apart_by_what_they_share_with_a_slow_one) {
  const auto trace = small_roles(tensors_and_pipeline, 16);
  const RoleKinds kinds(trace, {{5, 1.5}}, false);
  EXPECT_EQ(kinds.size(), 8U);
  std::set<std::size_t> with_slow{kinds.kind_of(5), kinds.kind_of(4), kinds.kind_of(1), kinds.kind_of(13)};
  EXPECT_EQ(with_slow.size(), 4U);
  EXPECT_EQ(kinds.kind_of(1), kinds.kind_of(7)) << "both are in its data group";
  EXPECT_EQ(kinds.kind_of(0), kinds.kind_of(6));
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) EXPECT_EQ(kinds.kind_of(kinds.rank(kind)), kind);
}

}  // namespace
}  // namespace ringmark::replay
