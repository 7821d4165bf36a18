#include "base/lost_rank.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

TEST(LostRank, is_found_in_the_words_of_the_error) {
  const PeerLost error(2, "host-2", "nothing heard from its host for 3.0 s");
  const auto line = std::string("[proxy] noise\nringmark: rank 0 on host-0: ") + error.what() + "\nBAD TERMINATION";
  EXPECT_EQ(find_lost_rank(line), (LostRank{2, "host-2", "nothing heard from its host for 3.0 s"}));
}

TEST(LostRank, is_none_in_other_words) {
  EXPECT_EQ(find_lost_rank("lost rank two on a: b"), std::nullopt);
  EXPECT_EQ(find_lost_rank("[mpiexec] assert (!closed) failed"), std::nullopt);
  EXPECT_EQ(find_lost_rank("lost rank 1; lost rank 3 on c: gone"), (LostRank{3, "c", "gone"}));
}

}  // namespace
}  // namespace ringmark
