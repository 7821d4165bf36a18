// Sessions of groups that run at once.
#include <array>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "tests/bench/harness/session_ranks.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// Groups of ranks 0 and 1, and of 2, 3 and 4, at once; rank 5 is in none.
Outcome run_groups(Collective collective, BenchOptions options, const MemoryFaults& faults = {}) {
  constexpr int ranks = 6;
  const GroupKind kind{"list", {{0, 1}, {2, 3, 4}}};
  Outcome outcome;
  outcome.statuses.resize(ranks, -1);
  const auto endpoints = tcp_endpoints(ranks, {});
  const auto network = MemoryNetwork::create(ranks, faults);
  in_threads(ranks, [&](int rank) {
    auto resources = resources_on_one_host(endpoints[static_cast<std::size_t>(rank)], options.timeout);
    ScheduleCommunicator world("memory", network->fabric(rank), Topology::flat(ranks),
                               {.algorithm = options.algorithm});
    const auto own = kind.group_of(rank);
    const auto members = own ? kind.groups[*own] : std::vector<int>{rank};
    const auto group = world.split(members, Deadline::after(options.timeout));
    Session session(collective, options, resources, *group, std::string{"test", {}},
                    rank == 0 ? outcome.kept.get() : nullptr, &kind);
    auto& status = outcome.statuses[static_cast<std::size_t>(rank)];
    try {
      status = session.run();
    } catch (const TransportError&) {
      status = exit_failed;
    }
  });
  return outcome;
}

TEST(SessionOfGroups, at_once_have_a_row_each_and_one_for_all) {
  const auto outcome = run_groups(Collective::all_gather, quick({6000}));
  EXPECT_EQ(outcome.statuses, std::vector<int>(6, exit_ok));
  const auto& rows = outcome.kept->records;
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].status, Status::ok) << rows[i].detail;
    EXPECT_EQ(rows[i].wrong_elements, 0U);
    EXPECT_EQ(rows[i].in_place, static_cast<int>(i / 3));
    EXPECT_EQ(rows[i].settings.group, (std::array{"list0", "list1", "list"})[i % 3]);
    EXPECT_EQ(rows[i].ranks, (std::array{2, 3, 3})[i % 3]);
    EXPECT_EQ(rows[i].settings.hosts, (std::array{"here*2", "here*3", "here*5"})[i % 3]);
    EXPECT_EQ(rows[i].count, 6000U / 4 / (std::array{2U, 3U, 3U})[i % 3]);
    EXPECT_EQ(rows[i].samples, 12U);
  }
  EXPECT_LT(*rows[0].slowest_rank, 2);
  EXPECT_GE(*rows[1].slowest_rank, 2);
  EXPECT_LT(*rows[1].slowest_rank, 5);
  EXPECT_GE(*rows[2].time_us_max, std::max(*rows[0].time_us_max, *rows[1].time_us_max));
}

TEST(SessionOfGroups, a_rank_in_no_group_needs_no_place_in_the_counts_and_no_root) {
  auto options = quick({6000});
  options.in_place = false;
  options.counts = IncastCounts{1};
  options.counts_text = "incast:1";
  const auto incast = run_groups(Collective::all_to_all, options);
  options.counts.reset();
  options.root = 1;
  const auto broadcast = run_groups(Collective::broadcast, options);
  for (const auto* outcome : {&incast, &broadcast}) {
    EXPECT_EQ(outcome->statuses, std::vector<int>(6, exit_ok));
    ASSERT_EQ(outcome->kept->records.size(), 3U);
    for (const auto& record : outcome->kept->records) {
      EXPECT_EQ(record.status, Status::ok) << record.detail;
      EXPECT_EQ(record.wrong_elements, 0U);
    }
  }
}

TEST(SessionOfGroups, a_bit_flipped_in_one_group_is_wrong_there_alone) {
  auto options = quick({6000});
  options.in_place = false;
  options.iterations = 1;
  options.warmup = 0;
  MemoryFaults faults;
  faults.flip = {{.from = 1, .to = 2, .number = 1}};  // in the group of three: ranks 3 and 4
  const auto rows = run_groups(Collective::all_gather, options, faults).kept->records;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].status, Status::ok);
  EXPECT_EQ(rows[1].status, Status::wrong);
  EXPECT_EQ(rows[2].status, Status::wrong);
  EXPECT_EQ(rows[1].wrong_elements, rows[2].wrong_elements);
}

TEST(SessionOfGroups, rows_of_groups_are_told_before_the_next_measurement_can_fail) {
  auto options = quick({6000});
  options.iterations = 1;
  options.warmup = 0;
  options.algorithm = "ring";
  options.timeout = std::chrono::seconds(1);
  // A ring of 3 sends 2 messages per operation: the third is of the one in place.
  const auto outcome = run_groups(Collective::all_gather, options, {.lose = {{.from = 1, .to = 2, .number = 3}}});
  EXPECT_EQ(outcome.statuses, std::vector<int>(6, exit_failed));
  const auto& rows = outcome.kept->records;
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].status, Status::ok) << rows[i].detail;
    EXPECT_EQ(rows[i].in_place, 0);
  }
  EXPECT_EQ(rows[3].in_place, 1);
  EXPECT_TRUE(rows[3].status == Status::timeout || rows[3].status == Status::failed);
}

}  // namespace
}  // namespace ringmark
