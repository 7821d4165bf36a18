// Every schedule, proven for every size; and proof that the checker sees what can go wrong.
#include "transports/schedules/checker.hpp"

#include <functional>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/program.hpp"

namespace ringmark {
namespace {

std::vector<int> proven_sizes() {
  std::vector<int> sizes(64);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {96, 127, 128, 1000});
  return sizes;
}

void expect_right(Collective collective, std::string_view algorithm, const Topology& topology, int root) {
  const auto schedule = make_schedule(collective, algorithm, topology, root);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->algorithm(), algorithm);
  for (const bool in_place : {false, true}) {
    if (in_place && why_not_in_place(collective) != nullptr) continue;
    const auto defect = find_defect(*schedule, collective, root, in_place);
    EXPECT_FALSE(defect) << *defect;
  }
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

class EverySchedule : public testing::TestWithParam<Named> {};

TEST_P(EverySchedule, is_right_for_every_size) {
  for (const int ranks : proven_sizes()) {
    expect_right(GetParam().collective, GetParam().algorithm, Topology::flat(ranks), 0);
  }
}

TEST(RootedSchedules, are_right_for_every_root) {
  for (const auto& [collective, algorithm] : all_schedules()) {
    if (!is_rooted(collective)) continue;
    for (const int ranks : {2, 3, 5, 8, 13}) {
      for (int root = 1; root < ranks; ++root) expect_right(collective, algorithm, Topology::flat(ranks), root);
    }
  }
}

TEST_P(EverySchedule, keeps_its_word_about_symmetry) {
  for (const int ranks : {1, 2, 3, 6, 8, 13, 16, 31}) {
    const auto schedule = make_schedule(GetParam().collective, GetParam().algorithm, Topology::flat(ranks));
    std::map<int, std::vector<std::vector<int>>> seen;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<std::vector<int>> shape;
      for (int step = 0; step < schedule->steps(); ++step) {
        Step actions;
        schedule->append(rank, step, actions);
        auto& row = shape.emplace_back(1, static_cast<int>(actions.sends.size()));
        for (const auto& receive : actions.receives) row.push_back(static_cast<int>(receive.combine));
      }
      const auto [entry, is_new] = seen.try_emplace(schedule->symmetry_class(rank), shape);
      EXPECT_TRUE(is_new || entry->second == shape) << schedule->algorithm() << " rank " << rank << " of " << ranks;
    }
  }
}

TEST_P(EverySchedule, needs_no_more_scratch_than_it_says) {
  for (const int ranks : {1, 2, 3, 6, 8, 13, 16, 31, 64}) {
    const auto schedule = make_schedule(GetParam().collective, GetParam().algorithm, Topology::flat(ranks));
    for (const bool in_place : {false, true}) {
      const int most = most_scratch_slots(*schedule, GetParam().collective, 0, in_place);
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_LE(compile(*schedule, GetParam().collective, rank, 0, in_place).scratch_slots, most);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EverySchedule, testing::ValuesIn(all_schedules()), [](const auto& entry) {
  return std::string(name(entry.param.collective)) + "_" + std::string(entry.param.algorithm);
});

TEST(DirectSendRecv, is_right_for_every_pattern) {
  for (const auto pattern : all_patterns()) {
    for (const int ranks : proven_sizes()) {
      const auto schedule = make_schedule(Collective::send_recv, "direct", Topology::flat(ranks), 0, pattern);
      const auto defect = find_defect(*schedule, Collective::send_recv, 0, false, pattern);
      EXPECT_FALSE(defect) << name(pattern) << ": " << *defect;
    }
  }
}

TEST(Checker, sees_a_block_that_went_another_way) {
  const auto schedule = make_schedule(Collective::send_recv, "direct", Topology::flat(5), 0, Pattern::neighbours);
  EXPECT_TRUE(find_defect(*schedule, Collective::send_recv, 0, false, Pattern::pairs));
}

TEST(TwoLevel, is_right_for_nodes_of_any_size) {
  for (const int per_node : {1, 2, 3, 4, 7, 8}) {
    for (const int ranks : {1, 2, 5, 8, 24, 31, 64, 96, 127, 128, 1000}) {
      if (ranks == 1000 && per_node != 8) continue;  // 125 nodes of 8 stand for the large ones
      std::vector<int> blocked, round_robin;
      for (int rank = 0; rank < ranks; ++rank) {
        blocked.push_back(rank / per_node);
        round_robin.push_back(rank % per_node);
      }
      expect_right(Collective::all_reduce, "two_level", Topology::nodes(blocked), 0);
      expect_right(Collective::all_reduce, "two_level", Topology::nodes(round_robin), 0);
    }
  }
}

TEST(TwoLevelAllToAll, is_right_for_nodes_of_any_size) {
  for (const int per_node : {1, 2, 3, 4, 8}) {
    for (const int ranks : {2, 5, 8, 12, 24, 31, 64, 96}) {
      if (ranks == 96 && per_node != 8) continue;
      std::vector<int> blocked, round_robin, mixed;
      for (int rank = 0; rank < ranks; ++rank) {
        blocked.push_back(rank / per_node);
        round_robin.push_back(rank % per_node);
        mixed.push_back(rank * 7 / per_node % 5);
      }
      for (const auto& nodes : {blocked, round_robin, mixed})
        expect_right(Collective::all_to_all, "two_level", Topology::nodes(nodes), 0);
    }
  }
}

TEST(TwoLevelAllToAll, crosses_nodes_in_fewer_messages) {
  std::vector<int> blocked, round_robin, uneven;
  for (int rank = 0; rank < 24; ++rank) {
    blocked.push_back(rank / 4);
    round_robin.push_back(rank % 6);
    uneven.push_back(rank / 5);
  }
  for (const auto& nodes : {blocked, round_robin})
    EXPECT_EQ(make_schedule(Collective::all_to_all, "two_level", Topology::nodes(nodes))->steps(), 3 + 5);
  EXPECT_EQ(make_schedule(Collective::all_to_all, "two_level", Topology::nodes(uneven))->steps(), 23);
}

TEST(Checker, sees_a_block_that_is_taken_for_anothers) {
  /// Bruck's, which forgets that blocks come from elsewhere.
  class Forgetful final : public Schedule {
   public:
    std::string_view algorithm() const override { return "forgetful"; }
    int ranks() const override { return right_->ranks(); }
    int chunks() const override { return right_->chunks(); }
    int steps() const override { return right_->steps(); }
    int symmetry_class(int rank) const override { return right_->symmetry_class(rank); }
    void append(int rank, int step, Step& out) const override { right_->append(rank, step, out); }

   private:
    std::unique_ptr<Schedule> right_ = make_schedule(Collective::all_to_all, "bruck", Topology::flat(4));
  };
  EXPECT_TRUE(find_defect(Forgetful(), Collective::all_to_all));
}

TEST(Ring, reduce_scatter_needs_little_scratch_for_any_number_of_ranks) {
  const auto schedule = make_schedule(Collective::reduce_scatter, "ring", Topology::flat(1000));
  EXPECT_LE(most_scratch_slots(*schedule, Collective::reduce_scatter, 0, false), 2);
}

/// A ring all_reduce with one change.
class Broken final : public Schedule {
 public:
  using Change = std::function<void(int rank, int step, Step& actions)>;
  explicit Broken(Change change) : change_(std::move(change)) {}

  std::string_view algorithm() const override { return "broken"; }
  int ranks() const override { return right_->ranks(); }
  int chunks() const override { return right_->chunks(); }
  int steps() const override { return right_->steps(); }
  int symmetry_class(int rank) const override { return rank; }
  void append(int rank, int step, Step& out) const override {
    right_->append(rank, step, out);
    change_(rank, step, out);
  }

 private:
  std::unique_ptr<Schedule> right_ = make_schedule(Collective::all_reduce, "ring", Topology::flat(4));
  Change change_;
};

std::string defect_of(Broken::Change change) {
  return find_defect(Broken(std::move(change)), Collective::all_reduce).value_or("no defect found");
}

TEST(Checker, passes_the_unchanged_ring) {
  EXPECT_EQ(defect_of([](int, int, Step&) {}), "no defect found");
}

TEST(Checker, sees_a_receive_that_nobody_sends) {
  const auto defect = defect_of([](int rank, int step, Step& actions) {
    if (rank == 2 && step == 5) actions.sends.clear();
  });
  EXPECT_NE(defect.find("waits forever"), std::string::npos) << defect;
}

TEST(Checker, sees_a_wrong_chunk) {
  const auto defect = defect_of([](int rank, int step, Step& actions) {
    if (rank == 1 && step == 0) actions.sends[0].chunk = 1;
  });
  EXPECT_NE(defect.find("receives chunk"), std::string::npos) << defect;
}

TEST(Checker, sees_a_contribution_counted_twice) {
  const auto defect = defect_of([](int, int step, Step& actions) {
    if (step == 3) actions.receives[0].combine = Combine::reduce;
  });
  EXPECT_NE(defect.find("twice"), std::string::npos) << defect;
}

TEST(Checker, sees_a_lost_contribution) {
  const auto defect = defect_of([](int rank, int step, Step& actions) {
    if (rank == 3 && step == 1) actions.receives[0].combine = Combine::copy;
  });
  EXPECT_NE(defect.find("incomplete at the last reduction"), std::string::npos) << defect;
}

TEST(Checker, sees_a_missing_word_about_the_last_reduction) {
  const auto defect = defect_of([](int rank, int step, Step& actions) {
    if (rank == 0 && step == 2) actions.receives[0].combine = Combine::reduce;
  });
  EXPECT_NE(defect.find("complete before"), std::string::npos) << defect;
}

TEST(Checker, sees_a_circle_of_waits) {
  // Everyone sends in step 1 what only arrives in step 2 from a neighbour who waits likewise.
  const auto defect = defect_of([](int rank, int step, Step& actions) {
    if (rank == 0 && step == 0) actions.receives[0].peer = 1;
    if (rank == 1 && step == 0) actions.receives[0].peer = 2;
  });
  EXPECT_NE(defect.find("waits forever"), std::string::npos) << defect;
}

}  // namespace
}  // namespace ringmark
