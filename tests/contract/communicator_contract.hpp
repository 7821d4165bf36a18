// The promises of every Communicator. A backend joins with a line:
//   INSTANTIATE_TEST_SUITE_P(Tcp, CommunicatorContract, testing::Values(tcp_backend), backend_name);
#pragma once

#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/contract/random_counts.hpp"
#include "tests/contract/rank_group.hpp"

namespace ringmark::testing_support {

/// The work of each rank with its communicator.
using RankBody = std::function<void(Communicator& self)>;

struct Backend {
  std::string name;
  /// Runs the body in every one of so many ranks, all at once; false if this backend cannot have so many here.
  std::function<bool(int ranks, const RankBody& body)> run;
  /// It stands for a library, and knows groups of messages only if each rank sends to each.
  bool knows_full_groups_alone = false;
};

/// A backend whose ranks are threads of this process.
inline Backend in_process(const std::string& name, const std::function<Communicators(int ranks)>& make) {
  return {name,
          [make](int ranks, const RankBody& body) {
            const auto group = make(ranks);
            in_threads(ranks, [&](int rank) { body(*group[static_cast<std::size_t>(rank)]); });
            return true;
          },
          false};
}

inline std::string backend_name(const testing::TestParamInfo<Backend>& info) { return info.param.name; }
inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

inline void check(Communicator& self, const Operation& operation, bool in_place) {
  SCOPED_TRACE(describe(operation, self.size(), in_place, self.choice_for(operation, in_place).algorithm));
  TestBuffers buffers(operation, self.rank(), self.size(), in_place);
  self.run(operation, buffers.get(), std::chrono::seconds(60));
  buffers.expect_right();
}

/// Combinations of what every_combination_test.cpp has in full, with the network's timing: every collective, count and
/// placement, with types, reductions and roots by chance, the same on all ranks. Over the numbers of ranks all pairs
/// come up. Answers the collectives that were not refused.
inline std::set<Collective> check_combinations(Communicator& self) {
  std::mt19937 chance(static_cast<unsigned>(self.size()));
  std::set<Collective> checked;
  for (const auto collective : all_collectives()) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 17U, 1000U}) {
      for (const bool in_place : {false, true}) {
        for (int repetition = 0; repetition < 4; ++repetition) {
          const auto type = all_datatypes()[chance() % all_datatypes().size()];
          const auto op = all_reduce_ops()[chance() % all_reduce_ops().size()];
          const auto root = static_cast<int>(chance() % static_cast<unsigned>(self.size()));
          const auto pattern = all_patterns()[chance() % all_patterns().size()];
          const Operation operation{collective, type, op, count, root, pattern};
          if (self.why_unsupported(operation, in_place)) continue;
          check(self, operation, in_place);
          checked.insert(collective);
        }
      }
    }
  }
  return checked;
}

class CommunicatorContract : public testing::TestWithParam<Backend> {
 protected:
  static constexpr std::chrono::seconds long_enough{60};

  /// For each number of ranks that the backend can have; at least one.
  static void with_ranks(std::initializer_list<int> numbers, const RankBody& body) {
    bool any = false;
    for (const int ranks : numbers) any |= GetParam().run(ranks, body);
    EXPECT_TRUE(any) << "no number of ranks that this test knows was possible";
  }
};

TEST_P(CommunicatorContract, knows_its_ranks) {
  with_ranks({2, 3, 4}, [](Communicator& self) {
    EXPECT_GE(self.rank(), 0);
    EXPECT_LT(self.rank(), self.size());
    EXPECT_FALSE(self.backend().empty());
  });
}

TEST_P(CommunicatorContract, every_collective_is_exact) {
  with_ranks({1, 2, 3, 4, 5, 7, 8}, [](Communicator& self) {
    const auto checked = check_combinations(self);
    for (const auto collective : all_collectives())
      EXPECT_TRUE(checked.contains(collective)) << name(collective) << " was refused throughout";
  });
}

TEST_P(CommunicatorContract, large_counts_are_exact) {
  with_ranks({2, 3, 4}, [](Communicator& self) {
    for (const auto collective : all_collectives()) {
      int checked = 0;
      for (const std::size_t count : {std::size_t{65537}, std::size_t{1} << 20}) {
        for (const auto type : {DataType::float32, DataType::float64}) {
          for (const bool in_place : {false, true}) {
            const Operation operation{collective, type, ReduceOp::sum, count};
            if (self.why_unsupported(operation, in_place)) continue;
            check(self, operation, in_place);
            ++checked;
          }
        }
      }
      EXPECT_GT(checked, 0) << name(collective) << " was refused throughout";
    }
  });
}

TEST_P(CommunicatorContract, unequal_blocks_are_exact) {
  with_ranks({1, 2, 3, 4, 5, 8}, [](Communicator& self) {
    std::mt19937 chance(static_cast<unsigned>(self.size()));
    std::set<Collective> checked;
    for (int repetition = 0; repetition < 30; ++repetition) {
      for (const auto collective : all_collectives()) {
        if (!has_counts(collective)) continue;
        const std::size_t least = GetParam().knows_full_groups_alone && collective == Collective::all_to_all ? 1 : 0;
        const auto operation = random_unequal(chance, collective, self.size(), repetition == 0 ? 100'000 : 500, least);
        for (const bool in_place : {false, true}) {
          if (self.why_unsupported(operation, in_place)) continue;
          check(self, operation, in_place);
          checked.insert(collective);
        }
      }
    }
    EXPECT_EQ(checked.size(), 3U) << "some were refused throughout";
  });
}

TEST_P(CommunicatorContract, what_is_unsupported_is_refused_with_the_reason_it_gives) {
  with_ranks({2, 3, 4}, [](Communicator& self) {
    for (const auto collective : all_collectives()) {
      const Operation operation{collective, DataType::bfloat16, ReduceOp::avg, 4};
      if (const auto reason = self.why_unsupported(operation, true)) {
        EXPECT_FALSE(reason->empty());
        TestBuffers buffers(operation, self.rank(), self.size(), true);
        EXPECT_THROW(self.start(operation, buffers.get()), BadUsage);
      }
    }
  });
}

TEST_P(CommunicatorContract, operations_run_in_the_order_of_their_start) {
  with_ranks({2, 3}, [](Communicator& self) {
    // The second operation reads what the first one writes.
    const Operation operation{Collective::all_reduce, DataType::int64, ReduceOp::sum, 100};
    std::vector<std::int64_t> a(100, 1), b(100), c(100);
    self.start(operation, {a.data(), b.data()});
    const auto second = self.start(operation, {b.data(), c.data()});
    self.wait(second, long_enough);
    EXPECT_EQ(c, std::vector<std::int64_t>(100, self.size() * self.size()));
  });
}

TEST_P(CommunicatorContract, a_batch_runs_in_order_on_each_of_its_buffers) {
  with_ranks({2, 3}, [](Communicator& self) {
    const Operation operation{Collective::all_reduce, DataType::int64, ReduceOp::sum, 100};
    std::vector<std::int64_t> a(100, 1), b(100), c(100), d(100);
    // The second reads what the first one writes.
    const std::vector<Buffers> chain{{a.data(), b.data()}, {b.data(), c.data()}, {a.data(), d.data()}};
    self.run_batch(operation, chain, long_enough);
    EXPECT_EQ(c, std::vector<std::int64_t>(100, self.size() * self.size()));
    EXPECT_EQ(d, std::vector<std::int64_t>(100, self.size()));
    // Longer than any backend leaves unwatched.
    const std::vector<Buffers> many(1001, Buffers{a.data(), b.data()});
    self.run_batch({Collective::all_reduce, DataType::int64, ReduceOp::sum, 1}, many, long_enough);
    EXPECT_EQ(b.front(), self.size());
  });
}

TEST_P(CommunicatorContract, groups_are_independent) {
  with_ranks({2, 3, 4}, [](Communicator& world) {
    // Even and odd ranks.
    std::vector<int> members;
    for (int rank = world.rank() % 2; rank < world.size(); rank += 2) members.push_back(rank);
    const auto half = world.split(members, Deadline::after(long_enough));
    ASSERT_EQ(half->size(), static_cast<int>(members.size()));
    ASSERT_EQ(half->rank(), world.rank() / 2);
    const Operation operation{Collective::all_reduce, DataType::int32, ReduceOp::sum, 5};
    std::vector<std::int32_t> one(5, 1), members_seen(5), total(5);
    const auto in_half = half->start(operation, {one.data(), members_seen.data()});
    const auto in_world = world.start(operation, {one.data(), total.data()});
    // The world's does not wait for the half's, which was started before.
    world.wait(in_world, long_enough);
    EXPECT_EQ(total, std::vector<std::int32_t>(5, world.size()));
    half->wait(in_half, long_enough);
    EXPECT_EQ(members_seen, std::vector<std::int32_t>(5, half->size()));
    const auto next = world.start(operation, {members_seen.data(), total.data()});
    world.wait(next, long_enough);
    const int even = (world.size() + 1) / 2, odd = world.size() / 2;
    EXPECT_EQ(total, std::vector<std::int32_t>(5, even * even + odd * odd));
  });
}

}  // namespace ringmark::testing_support
