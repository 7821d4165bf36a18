// Every collective × schedule × ranks × counts × types × reductions × in place or not, over a fabric without buffers.
#include <gtest/gtest.h>

#include "tests/contract/random_counts.hpp"
#include "tests/contract/rank_group.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

Topology topology_for(std::string_view algorithm, int ranks) {
  if (algorithm != "two_level") return Topology::flat(ranks);
  // Nodes of up to three ranks, the last one smaller; of two, so that they are equal, where ranks are even.
  const int per_node = ranks % 2 == 0 ? 2 : 3;
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / per_node);
  return Topology::nodes(nodes);
}

Communicators make_ranks(int ranks, const ScheduleOptions& options, const MemoryFaults& faults = {}) {
  const auto network = MemoryNetwork::create(ranks, faults);
  Communicators group;
  for (int rank = 0; rank < ranks; ++rank) {
    group.push_back(std::make_unique<ScheduleCommunicator>("memory", network->fabric(rank),
                                                           topology_for(options.algorithm, ranks), options));
  }
  return group;
}

struct Named {
  Collective collective;
  std::string_view algorithm;
};
std::vector<Named> all_schedules() {
  std::vector<Named> all;
  for (const auto collective : all_collectives()) {
    for (const auto algorithm : algorithms_for(collective)) all.push_back({collective, algorithm});
  }
  return all;
}

/// Each pattern with some of the counts.
Pattern pattern_of(std::size_t count) { return all_patterns()[count % all_patterns().size()]; }

class Combinations : public testing::TestWithParam<Named> {
 protected:
  /// Calls body for in place and out of place, for every reduction that makes a difference.
  template <class Body>
  void for_each_mode(Body body) const {
    for (const auto op : all_reduce_ops()) {
      if (!reduces(GetParam().collective) && op != ReduceOp::sum) continue;
      for (const bool in_place : {false, true}) {
        if (in_place && why_not_in_place(GetParam().collective) != nullptr) continue;
        body(op, in_place);
      }
    }
  }
  ScheduleOptions options() const { return {.algorithm = std::string(GetParam().algorithm)}; }
};

TEST_P(Combinations, give_exact_results) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    auto group = make_ranks(ranks, options());
    for (const std::size_t count : {0, 1, 2, 3, 17, 1000}) {
      for (const auto type : all_datatypes()) {
        for_each_mode([&](ReduceOp op, bool in_place) {
          const Operation operation{GetParam().collective, type, op, count, ranks / 2, pattern_of(count)};
          SCOPED_TRACE(describe(operation, ranks, in_place, GetParam().algorithm));
          run_in_turn(group, operation, in_place);
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Combinations, give_exact_results_in_many_slices_split_and_delayed_at_random) {
  for (const int ranks : {2, 3, 5, 8}) {
    const MemoryFaults faults{
        .seed = static_cast<std::uint32_t>(ranks), .most_bytes_at_once = 37, .idle_probability = 0.3};
    ScheduleOptions tiny = options();
    tiny.slice_bytes = 16;
    auto group = make_ranks(ranks, tiny, faults);
    for (const std::size_t count : {std::size_t{1}, std::size_t{701}}) {
      for (const auto type : {DataType::float32, DataType::bfloat16}) {
        for_each_mode([&](ReduceOp op, bool in_place) {
          const Operation operation{GetParam().collective, type, op, count, ranks - 1, Pattern::neighbours};
          SCOPED_TRACE(describe(operation, ranks, in_place, GetParam().algorithm));
          run_in_turn(group, operation, in_place);
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Combinations, give_exact_results_for_large_counts) {
  for (const int ranks : {3, 4}) {
    auto group = make_ranks(ranks, options());
    for (const std::size_t count : {std::size_t{65537}, std::size_t{1} << 20}) {
      for (const auto type : {DataType::float32, DataType::float64}) {
        for (const bool in_place : {false, true}) {
          if (in_place && why_not_in_place(GetParam().collective) != nullptr) continue;
          const Operation operation{GetParam().collective, type, ReduceOp::sum, count, 0};
          SCOPED_TRACE(describe(operation, ranks, in_place, GetParam().algorithm));
          run_in_turn(group, operation, in_place);
        }
      }
    }
  }
}

class UnequalBlocks : public Combinations {};

TEST_P(UnequalBlocks, give_exact_results) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8}) {
    const MemoryFaults faults{
        .seed = static_cast<std::uint32_t>(ranks), .most_bytes_at_once = 37, .idle_probability = 0.1};
    ScheduleOptions tiny = options();
    tiny.slice_bytes = 64;
    auto plain = make_ranks(ranks, options()), sliced = make_ranks(ranks, tiny, faults);
    std::mt19937 chance(static_cast<unsigned>(ranks));
    for (int i = 0; i < 60; ++i) {
      const auto operation = random_unequal(chance, GetParam().collective, ranks, i % 10 == 0 ? 5000 : 40);
      for (const bool in_place : {false, true}) {
        if (in_place && why_not_in_place(GetParam().collective) != nullptr) continue;
        SCOPED_TRACE(describe(operation, ranks, in_place, GetParam().algorithm) + " number " + std::to_string(i));
        run_in_turn(i % 2 == 0 ? plain : sliced, operation, in_place);
        if (HasFailure()) return;
      }
    }
  }
}

std::string schedule_name(const testing::TestParamInfo<Named>& entry) {
  return std::string(name(entry.param.collective)) + "_" + std::string(entry.param.algorithm);
}
std::vector<Named> schedules_with_counts() {
  auto all = all_schedules();
  std::erase_if(all, [](const Named& each) { return !has_counts(each.collective); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Combinations, testing::ValuesIn(all_schedules()), schedule_name);
INSTANTIATE_TEST_SUITE_P(Catalogue, UnequalBlocks, testing::ValuesIn(schedules_with_counts()), schedule_name);

}  // namespace
}  // namespace ringmark
