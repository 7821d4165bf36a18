#include "replay/import/recorded_ranks.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
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
  std::vector<std::string> notes;
  EXPECT_EQ(ranks_of({"9.json", "8.json"}, {of_rank(3), of_rank(1)}, 4, notes), (std::vector{3, 1}));
  EXPECT_TRUE(notes.empty());
}

TEST(RecordedRanks, are_in_the_names_of_files_that_do_not_show_theirs) {
  std::vector<std::string> notes;
  const std::vector all{of_rank({}), of_rank({}), of_rank({})};
  EXPECT_EQ(ranks_of({"t/et2.json", "t/et0.json", "t/et1.json"}, all, 3, notes), (std::vector{2, 0, 1}));
  EXPECT_EQ(ranks_of({"rank1.pt.trace.json", "rank2.pt.trace.json", "rank0.pt.trace.json"}, all, 3, notes),
            (std::vector{1, 2, 0}));
  EXPECT_EQ(ranks_of({"et10.json", "et2.json", "et0.json"}, all, 3, notes), (std::vector{0, 1, 2}))
      << "in their order, since 10 is no rank of three";
  EXPECT_EQ(notes.size(), 3U);
}

TEST(RecordedRanks, end_the_names_of_files) {
  EXPECT_EQ(rank_of_file("/tmp/nccl_trace_rank_17"), 17);
  EXPECT_EQ(rank_of_file("rank_4.json"), 4);
  EXPECT_EQ(rank_of_file("dump.2"), 2);
  EXPECT_EQ(rank_of_file("rank10.pt.trace.json"), 10);
  EXPECT_EQ(rank_of_file("99999999999999999999"), std::nullopt);
  EXPECT_EQ(rank_of_file("trace.json"), std::nullopt);
}

TEST(RecordedRanks, that_are_shown_are_kept_where_others_are_unknown) {
  std::vector<std::string> notes;
  EXPECT_EQ(ranks_of({"a1", "a0"}, {of_rank(1), of_rank({})}, 2, notes), (std::vector{1, 0}));
  EXPECT_FALSE(ranks_of({"a", "b"}, {of_rank(1), of_rank({})}, 2, notes)) << "the order would contradict it";
}

TEST(RecordedRanks, are_unknown_where_some_are_missing) {
  std::vector<std::string> notes;
  EXPECT_FALSE(ranks_of({"0", "1"}, {of_rank({}), of_rank({})}, 4, notes));
}

TEST(RecordedRanks, are_refused_where_two_are_the_same) {
  std::vector<std::string> notes;
  EXPECT_THROW(ranks_of({"a", "b"}, {of_rank(1), of_rank(1)}, 2, notes), BadUsage);
}

TEST(RecordedRanks, are_alike_where_each_sends_to_the_next) {
  EXPECT_TRUE(are_alike({sending_to(1), sending_to(2), sending_to(0)}, {0, 1, 2}, 3));
  EXPECT_FALSE(are_alike({sending_to(1), sending_to(0), sending_to(0)}, {0, 1, 2}, 3));
}

}  // namespace
}  // namespace ringmark::replay
