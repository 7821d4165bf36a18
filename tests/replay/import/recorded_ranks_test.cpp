#include "replay/import/recorded_ranks.hpp"

#include <gtest/gtest.h>

#include "replay/import/messages.hpp"

namespace ringmark::replay {
namespace {

Imported of_rank(std::optional<int> rank) {
  Imported imported;
  imported.rank = rank;
  return imported;
}

Imported sending_to(int peer) {
  Imported imported;
  imported.calls = {call_of({true, peer, 8, DataType::float32}, Phase::forward)};
  return imported;
}

TEST(RecordedRanks, are_those_that_the_recordings_show) {
  EXPECT_EQ(ranks_of({"9.json", "8.json"}, {of_rank(3), of_rank(1)}, 4), (std::vector{3, 1}));
}

TEST(RecordedRanks, are_in_the_names_of_files_that_do_not_show_theirs) {
  const std::vector all{of_rank({}), of_rank({}), of_rank({})};
  EXPECT_EQ(ranks_of({"et10.json", "et2.json", "et0.json"}, all, 3), (std::vector{0, 1, 2}))
      << "10 is no rank of three";
  EXPECT_EQ(ranks_of({"t/et2.json", "t/et0.json", "t/et1.json"}, all, 3), (std::vector{2, 0, 1}));
  EXPECT_EQ(ranks_of({"trace_rank_1", "trace_rank_2", "trace_rank_0"}, all, 3), (std::vector{1, 2, 0}));
}

TEST(RecordedRanks, are_unknown_where_some_are_missing) {
  EXPECT_FALSE(ranks_of({"0", "1"}, {of_rank({}), of_rank({})}, 4));
}

TEST(RecordedRanks, are_alike_where_each_sends_to_the_next) {
  EXPECT_TRUE(are_alike({sending_to(1), sending_to(2), sending_to(0)}, {0, 1, 2}, 3));
  EXPECT_FALSE(are_alike({sending_to(1), sending_to(0), sending_to(0)}, {0, 1, 2}, 3));
}

}  // namespace
}  // namespace ringmark::replay
