#include "replay/import/roles_of_calls.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/import/messages.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A recording of a rank of a pipeline of two stages of `width` ranks: it sends or receives on its pipeline's
/// communicator, and sums among the ranks of its stage.
Imported stage(int rank, int width) {
  Imported imported;
  imported.format = "a test's";
  const bool is_first = rank < width;
  imported.rank = rank;
  imported.communicators = {{is_first ? 0 : 1, 2, {}, "pipeline" + std::to_string(rank % width)},
                            {rank % width, width, {}, is_first ? "first" : "second"}};
  auto message = call_of({is_first, is_first ? 1 : 0, 100, DataType::bfloat16}, Phase::forward);
  message.communicator = 0;
  message.computed_us = 10;
  Call sum{Collective::all_reduce, is_first ? 40U : 60U, DataType::float32};
  sum.communicator = 1;
  imported.calls = {message, sum};
  return imported;
}

struct Recorded {
  std::vector<std::string> names;
  std::vector<Imported> all;
  std::vector<int> ranks;

  void add(Imported imported) {
    ranks.push_back(*imported.rank);
    names.push_back("file" + std::to_string(ranks.back()));
    all.push_back(std::move(imported));
  }
};

const Event& last_call(const Pass& pass) { return *std::find_if(pass.events.rbegin(), pass.events.rend(), is_call); }

TEST(RolesOfCalls, have_groups_whose_members_only_their_ids_show) {
  Recorded recorded;
  for (int rank = 0; rank < 4; ++rank) recorded.add(stage(rank, 2));
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 4, notes);
  ASSERT_EQ(trace.roles.size(), 2U);
  EXPECT_EQ(trace.roles[0].name, "ranks 0-1");
  EXPECT_EQ(trace.role_stride, 2);
  ASSERT_EQ(trace.groups.size(), 2U);
  EXPECT_EQ(trace.groups[0].members(1), (std::vector{1, 3}));
  EXPECT_EQ(trace.groups[1].members(3), (std::vector{2, 3}));
  const auto& events = trace.passes[1].events;
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].kind, EventKind::compute);
  EXPECT_EQ(events[1].kind, EventKind::receive);
  EXPECT_EQ(events[1].peer, -2);
  EXPECT_EQ(events[2].kind, EventKind::wait) << "before the sum";
  EXPECT_EQ(events[2].after, std::vector{1});
}

TEST(RolesOfCalls, take_the_ranks_that_were_not_recorded_for_others_of_their_role) {
  Recorded recorded;
  for (const int rank : {0, 4}) {
    auto imported = stage(rank, 4);
    imported.communicators[0].members = {rank % 4, rank % 4 + 4};
    imported.communicators[1].members = rank < 4 ? std::vector{0, 1, 2, 3} : std::vector{4, 5, 6, 7};
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 8, notes);
  EXPECT_EQ(trace.roles.size(), 2U);
  EXPECT_EQ(trace.role_of(7).name, "ranks 4-7");
}

TEST(RolesOfCalls, are_refused_where_recordings_contradict_each_other) {
  Recorded recorded;
  for (int rank = 0; rank < 4; ++rank) recorded.add(stage(rank, 2));
  std::vector<std::string> notes;
  auto other_size = recorded.all;
  other_size[3].calls[1].elements = 61;
  EXPECT_THROW(roles_of_calls(recorded.names, other_size, recorded.ranks, 4, notes), BadUsage);
  auto lost = recorded.all;
  lost[2].calls[0].elements = 99;
  EXPECT_THROW(roles_of_calls(recorded.names, lost, recorded.ranks, 4, notes), BadUsage);
  auto shorter = recorded.all;
  shorter[0].calls.pop_back();
  EXPECT_THROW(roles_of_calls(recorded.names, shorter, recorded.ranks, 4, notes), BadUsage);
}

TEST(RolesOfCalls, await_messages_at_the_end_where_ranks_would_wait_for_each_other) {
  Recorded recorded;
  for (int rank = 0; rank < 2; ++rank) {
    auto imported = stage(rank, 1);
    auto answer = call_of({rank == 1, rank == 0 ? 1 : 0, 50, DataType::bfloat16}, Phase::backward);
    answer.communicator = 0;
    answer.computed_us = 5;
    // Each rank first posts what it receives.
    if (rank == 0) {
      imported.calls = {answer, imported.calls[0]};
    } else {
      imported.calls = {imported.calls[0], answer};
    }
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 2, notes);
  EXPECT_THAT(notes, Contains(HasSubstr("at the end of the step")));
  EXPECT_EQ(trace.passes[0].events.back().kind, EventKind::wait);
}

TEST(RolesOfCalls, keep_the_counts_of_experts_by_group) {
  Recorded recorded;
  for (int rank = 0; rank < 4; ++rank) {
    auto imported = stage(rank, 2);
    Call exchange{Collective::all_to_all, 8, DataType::bfloat16};
    exchange.communicator = 1;
    exchange.is_uneven = true;
    exchange.parts = rank % 2 == 0 ? std::vector<std::uint64_t>{3, 5} : std::vector<std::uint64_t>{6, 2};
    imported.calls.push_back(exchange);
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 4, notes);
  EXPECT_EQ(trace.roles.size(), 2U);
  EXPECT_EQ(last_call(trace.passes[0]).counts, (std::vector<std::uint64_t>{3, 5, 6, 2}));
}

TEST(RolesOfCalls, take_grouped_messages_to_all_ranks_for_an_all_to_all) {
  Recorded recorded;
  for (int rank = 0; rank < 4; ++rank) {
    auto imported = stage(rank, 2);
    for (int peer = 0; peer < 2; ++peer) {
      for (const bool is_sent : {true, false}) {
        auto message = call_of({is_sent, peer, 7, DataType::float32}, Phase::backward);
        message.communicator = 1;
        message.batch = 5;
        imported.calls.push_back(message);
      }
    }
    join_exchanges(imported);
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 4, notes);
  EXPECT_EQ(call_name(last_call(trace.passes[0])), "all_to_all");
}

/// Ranks that call in one group of these members, with so many elements.
Imported calling(int rank, const std::vector<int>& members, std::uint64_t elements) {
  Imported imported;
  imported.format = "a test's";
  imported.rank = rank;
  const auto place = std::find(members.begin(), members.end(), rank) - members.begin();
  imported.communicators = {{static_cast<int>(place), static_cast<int>(members.size()), members}};
  Call sum{Collective::all_reduce, elements, DataType::float32};
  sum.communicator = 0;
  imported.calls = {sum};
  return imported;
}

TEST(RolesOfCalls, divide_the_ranks_so_that_the_members_of_a_group_call_alike) {
  Recorded recorded;
  recorded.add(calling(0, {0, 1, 2, 3}, 40));
  recorded.add(calling(5, {4, 5, 6, 7}, 60));
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 8, notes);
  EXPECT_EQ(trace.role_stride, 4);
  EXPECT_EQ(trace.role_of(3).name, "ranks 0-3");
}

TEST(RolesOfCalls, are_refused_where_groups_do_not_cover_the_ranks_of_a_role) {
  Recorded recorded;
  recorded.add(calling(0, {0, 3}, 40));
  recorded.add(calling(3, {0, 3}, 40));
  std::vector<std::string> notes;
  EXPECT_THROW(roles_of_calls(recorded.names, recorded.all, recorded.ranks, 4, notes), BadUsage);
}

TEST(RolesOfCalls, tell_groups_of_the_same_distance_apart) {
  Recorded recorded;
  for (int rank = 0; rank < 8; ++rank) {
    const int odd = rank % 2;
    auto imported = calling(rank, {odd + rank / 4 * 4, odd + rank / 4 * 4 + 2}, 8);
    imported.communicators.push_back({rank / 2, 4, {odd, odd + 2, odd + 4, odd + 6}});
    Call sum{Collective::all_reduce, 30, DataType::float32};
    sum.communicator = 1;
    imported.calls.push_back(sum);
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 8, notes);
  ASSERT_EQ(trace.groups.size(), 2U);
  EXPECT_NE(trace.groups[0].name, trace.groups[1].name);
}

TEST(RolesOfCalls, keep_messages_of_communicators_of_two_ranks) {
  Recorded recorded;
  for (int rank = 0; rank < 4; ++rank) {
    Imported imported;
    imported.format = "a test's";
    imported.rank = rank;
    for (const int other : {rank - 1, rank + 1}) {
      if (other < 0 || other > 3) continue;
      imported.communicators.push_back({other < rank ? 1 : 0, 2, {std::min(rank, other), std::max(rank, other)}});
      auto message = call_of({other > rank, other > rank ? 1 : 0, 8, DataType::float32}, Phase::forward);
      message.communicator = static_cast<int>(imported.communicators.size()) - 1;
      imported.calls.push_back(message);
    }
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  const auto trace = roles_of_calls(recorded.names, recorded.all, recorded.ranks, 4, notes);
  int messages = 0;
  for (const auto& pass : trace.passes)
    messages += static_cast<int>(std::count_if(pass.events.begin(), pass.events.end(), is_message));
  EXPECT_EQ(trace.roles.size(), 4U);
  EXPECT_EQ(messages, 6);
}

TEST(RolesOfCalls, are_refused_where_no_call_is_left) {
  Recorded recorded;
  for (int rank = 0; rank < 2; ++rank) {
    auto imported = stage(rank, 1);
    for (auto& each : imported.communicators) each = {0, 2, {}, ""};
    imported.communicators[0].ranks = imported.communicators[1].ranks = 3;
    recorded.add(std::move(imported));
  }
  std::vector<std::string> notes;
  EXPECT_THROW(roles_of_calls(recorded.names, recorded.all, recorded.ranks, 2, notes), BadUsage);
}

}  // namespace
}  // namespace ringmark::replay
