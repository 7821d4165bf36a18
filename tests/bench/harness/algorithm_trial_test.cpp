#include "bench/harness/algorithm_trial.hpp"

#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "tests/bench/harness/session_ranks.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using namespace std::chrono_literals;

/// Its algorithms take as long as their names say, asleep: the trial itself is what is tested.
class Sleeper final : public Communicator {
 public:
  explicit Sleeper(std::vector<Contender> all, std::map<std::string_view, std::chrono::milliseconds> times)
      : all_(std::move(all)), times_(std::move(times)) {}
  std::string_view backend() const override { return "asleep"; }
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Memory& memory() const override { return host_memory(); }
  std::optional<std::string> why_unsupported(const Operation&, bool) const override { return std::nullopt; }
  Choice choice_for(const Operation&, bool) const override { return {"slow", "", std::nullopt}; }
  std::vector<Contender> contenders(const Operation&) const override { return all_; }
  void settle(const Operation&, std::string_view algorithm) override { settled = algorithm; }
  void keep(std::span<std::byte>) override {}
  void forget(std::span<std::byte>) override {}
  Ticket start(const Operation&, Buffers) override { return {}; }
  bool test(Ticket) override { return true; }
  void wait(Ticket, Clock::duration) override {}
  void progress() override {}
  void run(const Operation&, Buffers, Clock::duration) override {
    ++runs;
    std::this_thread::sleep_for(times_.at(settled));
  }
  std::unique_ptr<Communicator> split(std::span<const int>, Deadline) override { return nullptr; }

  std::string_view settled;
  int runs = 0;

 private:
  std::vector<Contender> all_;
  std::map<std::string_view, std::chrono::milliseconds> times_;
};

/// What each rank settles on; `slow` is the time of "slow" by rank.
std::vector<std::string> settled_by(std::vector<std::chrono::milliseconds> slow, bool last_is_idle = false) {
  const int ranks = static_cast<int>(slow.size());
  std::vector<std::string> settled(slow.size());
  const auto endpoints = tcp_endpoints(ranks, {});
  in_threads(ranks, [&](int rank) {
    const auto self = static_cast<std::size_t>(rank);
    Control control(std::make_unique<TcpFabric>(endpoints[self], 1), 20s);
    const bool is_idle = last_is_idle && rank == ranks - 1;
    Sleeper communicator(is_idle ? std::vector<Contender>{} : std::vector<Contender>{{"slow", 100}, {"fast", 100}},
                         {{"slow", slow[self]}, {"fast", 4ms}});
    try_algorithms(communicator, control, {}, {}, 2s, 20s);
    settled[self] = communicator.settled;
    EXPECT_EQ(communicator.runs == 0, is_idle);
  });
  return settled;
}

TEST(AlgorithmTrial, settles_all_ranks_on_the_one_whose_slowest_rank_is_fastest) {
  EXPECT_EQ(settled_by({1ms, 16ms, 1ms}), (std::vector<std::string>{"fast", "fast", "fast"}));
  EXPECT_EQ(settled_by({1ms, 1ms}), (std::vector<std::string>{"slow", "slow"}));
}

TEST(AlgorithmTrial, needs_no_operation_of_a_rank_in_no_group) {
  EXPECT_EQ(settled_by({16ms, 16ms, 1ms}, true), (std::vector<std::string>{"fast", "fast", ""}));
}

TEST(AlgorithmTrial, runs_nothing_where_the_limit_leaves_no_time_and_where_one_is_left) {
  const auto endpoints = tcp_endpoints(1, {});
  Control control(std::make_unique<TcpFabric>(endpoints[0], 1), 20s);
  Sleeper late({{"slow", 0.6e6}, {"fast", 0.6e6}}, {});
  try_algorithms(late, control, {}, {}, 1s, 20s);
  EXPECT_EQ(late.runs, 0);
  EXPECT_EQ(late.settled, "slow") << "the model decides";
  Sleeper one({{"slow", 1e9}}, {});
  try_algorithms(one, control, {}, {}, 1s, 20s);
  EXPECT_EQ(one.runs, 0);
  EXPECT_EQ(one.settled, "slow");
}

std::vector<double> around(double time_us, double spread, int samples = 21) {
  std::vector<double> times_us;
  for (int i = 0; i < samples; ++i) times_us.push_back(time_us * (1 + spread * (2.0 * i / (samples - 1) - 1)));
  return times_us;
}

TEST(ClearChoice, is_the_first_that_is_within_ten_percent_of_the_fastest) {
  EXPECT_EQ(clear_choice({around(107, 0.01), around(100, 0.01)}), 0U);
  EXPECT_EQ(clear_choice({around(115, 0.01), around(100, 0.01)}), 1U);
  EXPECT_EQ(clear_choice({around(100, 0.01), around(50, 0.01), around(51, 0.01)}), 1U);
}

TEST(ClearChoice, is_open_while_the_intervals_hold_both_answers) {
  EXPECT_EQ(clear_choice({around(104, 0.2), around(100, 0.2)}), std::nullopt);
  EXPECT_EQ(clear_choice({around(110, 0.02), around(100, 0.02)}), std::nullopt);
  EXPECT_EQ(clear_choice({{130}, {100}}), std::nullopt) << "one sample each shows less";
  EXPECT_EQ(clear_choice({{400}, {100}}), 1U);
}

TEST(ClearChoice, passes_over_those_that_were_ruled_out) {
  EXPECT_EQ(clear_choice({{}, around(100, 0.01), around(200, 0.01)}), 1U);
  EXPECT_EQ(best_choice({{}, around(104, 0.2), around(100, 0.2)}), 1U);
  EXPECT_EQ(best_choice({around(112, 0.2), around(100, 0.2)}), 1U);
}

}  // namespace
}  // namespace ringmark
