#include "replay/import/at_once.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/run/player.hpp"
#include "replay/step/step_graph.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A kernel of rank 0 of four: of a collective of these ranks, or of a computation.
std::string kernel(int at, int took, const std::string& ranks = "", int elements = 64) {
  const auto size = std::count(ranks.begin(), ranks.end(), ',') + 1;
  const auto args = ranks.empty()
                        ? std::string()
                        : fmt::format(R"("Collective name": "allreduce", "dtype": "Float", "In msg nelems": {0},
      "Out msg nelems": {0}, "Group size": {1}, "Process Group Ranks": "{2}", "Process Group Name": "{2}", "Rank": 0)",
                                      elements, size, ranks);
  return fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "{}", "ts": {}, "dur": {}, "args": {{{}}}}})",
                     ranks.empty() ? "gemm" : "ncclDevKernel_AllReduce", at, took, args);
}

constexpr auto tensor = "[0, 1]", data = "[0, 2]", all = "[0, 1, 2, 3]";

/// Behind a computation: a tensor group's call, one of a data group beside it, and one of the tensor group that begins
/// when its first has ended. Then another computation, and a call of all.
std::string step_with_groups_at_once() {
  return fmt::format(
      R"({{"distributedInfo": {{"world_size": 4, "rank": 0}}, "traceEvents": [{}, {}, {}, {}, {}, {}]}})",
      kernel(0, 50), kernel(100, 100, tensor), kernel(120, 130, data), kernel(205, 95, tensor, 32), kernel(310, 20),
      kernel(340, 10, all));
}

StepTrace imported(const std::string& text, std::vector<std::string>& notes) {
  const testing_support::ResultFolder folder;
  const auto file = folder.file("k.json");
  std::ofstream(file) << text;
  return import_step({file}, {}, notes);
}

TEST(CallsAtOnce, are_those_that_began_before_another_group_had_ended) {
  const auto recorded = only(import_text("k.json", step_with_groups_at_once()));
  ASSERT_THAT(recorded.calls, SizeIs(4));
  const auto sets = calls_at_once(recorded.calls);
  ASSERT_THAT(sets, SizeIs(1));
  EXPECT_EQ(sets[0].first, 0U);
  EXPECT_EQ(sets[0].end, 3U);
  EXPECT_THAT(sets[0].after, ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0U)));
  auto without_times = recorded.calls;
  for (auto& call : without_times) call.ran.reset();
  EXPECT_THAT(calls_at_once(without_times), IsEmpty());
  auto one_group = recorded.calls;
  for (auto& call : one_group) call.communicator = 0;
  EXPECT_THAT(calls_at_once(one_group), IsEmpty());
}

TEST(CallsAtOnce, become_events_that_wait_only_for_what_had_ended) {
  std::vector<std::string> notes;
  const auto trace = imported(step_with_groups_at_once(), notes);
  EXPECT_THAT(notes, Contains(HasSubstr("3 calls ran at the same time")));
  std::vector<int> calls, computations;
  for (int i = 0; i < static_cast<int>(trace.events.size()); ++i) {
    const auto kind = trace.events[static_cast<std::size_t>(i)].kind;
    if (kind == EventKind::collective) calls.push_back(i);
    if (kind == EventKind::compute) computations.push_back(i);
  }
  ASSERT_THAT(calls, SizeIs(4));
  ASSERT_THAT(computations, SizeIs(2));
  const auto before = graph_of(trace).before;
  const auto waits_for = [&](int event) { return before[static_cast<std::size_t>(event)]; };
  EXPECT_THAT(waits_for(calls[0]), ElementsAre(computations[0]));
  EXPECT_THAT(waits_for(calls[1]), ElementsAre(computations[0]));
  EXPECT_THAT(waits_for(calls[2]), Contains(calls[0]));
  EXPECT_THAT(waits_for(calls[2]), testing::Not(Contains(calls[1])));
  ASSERT_THAT(waits_for(computations[1]), SizeIs(1));
  EXPECT_THAT(waits_for(waits_for(computations[1])[0]), testing::IsSupersetOf({calls[0], calls[1], calls[2]}));
  EXPECT_THAT(waits_for(calls[3]), ElementsAre(computations[1]));
}

/// Ends each operation once it was looked at a few times, and counts how many run. A fake, so that it can be told
/// whether operations ran at once.
class CountingCommunicator final : public Communicator {
 public:
  struct Count {
    int running = 0, most = 0, ended = 0;
  };
  explicit CountingCommunicator(Count& count) : count_(count) {}
  std::string_view backend() const override { return "counting"; }
  int rank() const override { return 0; }
  int size() const override { return 4; }
  Memory& memory() const override { return host_memory(); }
  std::optional<std::string> why_unsupported(const Operation&, bool) const override { return std::nullopt; }
  Choice choice_for(const Operation&, bool) const override { return {}; }
  void keep(std::span<std::byte>) override {}
  void forget(std::span<std::byte>) override {}
  Ticket start(const Operation&, Buffers) override {
    count_.most = std::max(count_.most, ++count_.running);
    is_running_ = true, looks_ = 0;
    return {1};
  }
  bool test(Ticket) override { return !is_running_ || (++looks_ > 3 && finish()); }
  void wait(Ticket, Clock::duration) override { finish(); }
  void progress() override {}
  void run(const Operation&, Buffers, Clock::duration) override {}
  std::unique_ptr<Communicator> split(std::span<const int>, Deadline) override {
    return std::make_unique<CountingCommunicator>(count_);
  }

 private:
  bool finish() {
    if (!std::exchange(is_running_, false)) return true;
    --count_.running, ++count_.ended;
    return true;
  }

  Count& count_;
  bool is_running_ = false;
  int looks_ = 0;
};

TEST(CallsAtOnce, are_played_at_once_and_others_one_after_another) {
  const auto most_at_once = [](const std::string& text) {
    std::vector<std::string> notes;
    const auto trace = imported(text, notes);
    CountingCommunicator::Count count;
    Channels channels(trace, std::make_unique<CountingCommunicator>(count), Deadline::after(10s));
    Player(trace, channels, std::vector<double>(trace.events.size(), 1), ComputeMode::busy, 10s).play();
    EXPECT_EQ(count.ended, 4);
    EXPECT_EQ(count.running, 0);
    return count.most;
  };
  EXPECT_EQ(most_at_once(step_with_groups_at_once()), 2);
  const auto apart = fmt::format(
      R"({{"distributedInfo": {{"world_size": 4, "rank": 0}}, "traceEvents": [{}, {}, {}, {}, {}]}})", kernel(0, 50),
      kernel(100, 100, tensor), kernel(200, 100, data), kernel(300, 50, tensor, 32), kernel(400, 10, all));
  EXPECT_EQ(most_at_once(apart), 1);
}

}  // namespace
}  // namespace ringmark::replay
