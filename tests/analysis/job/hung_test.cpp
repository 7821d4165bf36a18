#include "analysis/job/hung.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/job/evidence_of.hpp"

namespace ringmark::analysis::job {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Time at(double seconds) { return Time(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9))); }

/// Dumps of ranks with calls on groups, written at second 100.
class Job {
 public:
  explicit Job(int ranks) {
    evidence_.least_ranks = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      evidence_.sources.push_back({"dump", SourceKind::flight_recorder, "2.10", at(100)});
      evidence_.dumped.insert(rank);
    }
  }
  Job& group(const std::string& id, std::set<int> members) {
    const auto index = evidence_.communicator(id, "", true);
    evidence_.communicators[index].members = std::move(members);
    return *this;
  }
  Job& call(int rank, const std::string& group, std::uint64_t sequence, CallState state,
            const std::string& operation = "all_reduce", const std::string& shape = "[4]") {
    evidence_.calls_of(static_cast<std::size_t>(rank), evidence_.communicator(group, "", true), rank)
        .calls[sequence] = {sequence, operation, shape, state, at(10.0 + static_cast<double>(sequence)), {}, {}};
    return *this;
  }
  Job& recv(int rank, const std::string& group, int peer) {
    evidence_.calls_of(static_cast<std::size_t>(rank), evidence_.communicator(group, "", true), rank)
        .messages.push_back({"recv", peer, at(5)});
    return *this;
  }
  Job& lose(int rank) {
    evidence_.dumped.erase(rank);
    return *this;
  }
  Job& written_at(int rank, double seconds) {
    evidence_.sources[static_cast<std::size_t>(rank)].taken = at(seconds);
    return *this;
  }
  std::vector<Finding> find() const { return hung_ranks(evidence_, {}); }

 private:
  Evidence evidence_;
};

constexpr auto scheduled = CallState::scheduled, started = CallState::started, completed = CallState::completed;

TEST(HungRanks, victims_of_a_late_rank_are_not_named) {
  // Rank 3 never entered its group's call, so rank 2 waits there, and 0 and 1 wait for both.
  Job job(4);
  job.group("world", {0, 1, 2, 3}).group("b", {2, 3});
  job.call(2, "b", 1, started).call(0, "world", 1, started).call(1, "world", 1, started);
  const auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::late);
  EXPECT_THAT(findings[0].ranks, ElementsAre(3));
}

TEST(HungRanks, a_missing_rank_is_not_called_late_as_well) {
  Job job(3);
  job.group("world", {0, 1, 2}).call(0, "world", 4, started).call(2, "world", 4, started).lose(1);
  const auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::missing);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
  EXPECT_THAT(findings[0].waiting, ElementsAre(0, 2));
  EXPECT_EQ(findings[0].sequence, 4U);
}

TEST(HungRanks, a_short_wait_is_normal) {
  Job job(2);
  job.group("world", {0, 1}).call(0, "world", 4, started).call(1, "world", 3, completed);
  EXPECT_EQ(job.find().size(), 1U);
  EXPECT_THAT(job.written_at(0, 14.5).written_at(1, 14.5).find(), IsEmpty());
  // Rank 1's dump was written before rank 0 entered, so it says nothing about the call.
  EXPECT_THAT(job.written_at(0, 100).written_at(1, 14.5).find(), IsEmpty());
}

TEST(HungRanks, other_sizes_count_only_in_a_call_that_has_not_ended) {
  Job job(3);
  job.group("world", {0, 1, 2});
  for (int rank = 0; rank < 3; ++rank) job.call(rank, "world", 1, completed, "broadcast", rank == 1 ? "[8]" : "[4]");
  EXPECT_THAT(job.find(), IsEmpty());
  for (int rank = 0; rank < 3; ++rank) job.call(rank, "world", 2, started, "all_reduce", rank == 1 ? "[8]" : "[4]");
  const auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::mismatched);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
}

TEST(HungRanks, of_two_ranks_the_one_that_differs_from_groups_of_its_kind_is_named) {
  Job job(4);
  job.group("a", {0, 1}).group("b", {2, 3});
  job.call(0, "a", 1, started).call(1, "a", 1, started, "broadcast");
  auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(0, 1)) << "nothing tells them apart";
  job.call(2, "b", 1, completed).call(3, "b", 1, completed);
  findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
}

TEST(HungRanks, a_device_that_has_not_begun_a_call_holds_it_up) {
  Job job(3);
  job.group("world", {0, 1, 2});
  job.call(0, "world", 1, started).call(1, "world", 1, scheduled).call(2, "world", 1, started);
  const auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::not_started);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
}

TEST(HungRanks, a_call_that_all_entered_names_no_rank) {
  Job job(2);
  job.group("world", {0, 1}).call(0, "world", 1, started).call(1, "world", 1, started);
  const auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::unfinished);
  EXPECT_FALSE(findings[0].is_decided);
  EXPECT_THAT(findings[0].ranks, IsEmpty());
}

TEST(HungRanks, a_message_that_nobody_sends_names_the_peer) {
  Job job(3);
  job.group("pp", {0, 1, 2}).call(0, "pp", 1, completed).call(1, "pp", 1, completed).recv(1, "pp", 0);
  auto findings = job.find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].ranks, ElementsAre(0));
  EXPECT_EQ(findings[0].operation, "recv");
  EXPECT_THAT(job.recv(0, "pp", 1).find(), IsEmpty()) << "each has the other's message";
}

}  // namespace
}  // namespace ringmark::analysis::job
