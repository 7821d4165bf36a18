// Ranks whose clocks differ agree on one clock. A sign that is wrong anywhere shows as seconds.
#include "bench/harness/control.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bench/harness/measure.hpp"
#include "results/statistics/statistics.hpp"
#include "tests/contract/shifted_clocks.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {
namespace {

using namespace testing_support;
using std::chrono::seconds;

/// A clock's shift per rank. Five ranks make a tree of depth 2: rank 3 finds its clock by way of rank 2.
class ShiftedClocks : public testing::TestWithParam<std::vector<seconds>> {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_shifted_clocks(shifts_); !reason.empty()) GTEST_SKIP() << reason;
  }
  std::vector<seconds> shifts_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(
    Control, ShiftedClocks,
    testing::Values(std::vector<seconds>{seconds(0), seconds(3), seconds(-2), seconds(7), seconds(-11)},
                    std::vector<seconds>{seconds(-5), seconds(0), seconds(4), seconds(-8), seconds(2)}));

void expect_offsets_are_found(Bootstrap& ranks, const std::vector<seconds>& shifts) {
  Control control(std::make_unique<TcpFabric>(TcpEndpoint::create(ranks, {}), 1), seconds(30));
  const auto shift = [&](int rank) {
    return std::chrono::duration<double, std::micro>(shifts[static_cast<std::size_t>(rank)]).count();
  };
  for (int round = 0; round < 3; ++round) {
    const auto found = control.synchronise_clocks();
    EXPECT_LE(std::abs(found.to_rank0_us - (shift(0) - shift(control.rank()))), found.error_us)
        << "rank " << control.rank();
    EXPECT_EQ(found.error_us == 0, control.rank() == 0);
    EXPECT_LT(found.error_us, 500'000) << "so large an error would hide a wrong sign";
  }
  control.barrier();
}

TEST_P(ShiftedClocks, are_found_within_the_stated_error) {
  with_shifted_clocks(shifts_, [&](Bootstrap& ranks) { expect_offsets_are_found(ranks, shifts_); });
}

TEST(Control, finds_the_clocks_of_one_machine_equal) {
  const std::vector<seconds> equal(5, seconds(0));
  with_shifted_clocks(equal, [&](Bootstrap& ranks) { expect_offsets_are_found(ranks, equal); });
}

TEST_P(ShiftedClocks, do_not_count_as_entry_skew) {
  with_shifted_clocks(shifts_, [&](Bootstrap& ranks) {
    const auto endpoint = TcpEndpoint::create(ranks, {});
    const auto topology = Topology::flat(ranks.size());
    Control control(std::make_unique<TcpFabric>(endpoint, 1), seconds(30));
    ScheduleCommunicator communicator("tcp", std::make_unique<TcpFabric>(endpoint, 2), topology, {});
    MeasurePlan plan{.operation = {Collective::all_reduce, DataType::float32, ReduceOp::sum, 64}};
    plan.time.iterations = 20;
    RunBuffers buffers(communicator.memory(), 256, 256);
    const auto measured = measure(communicator, control, buffers, plan, [](bool) {});
    ASSERT_EQ(measured.skews_us.size(), 20U);
    EXPECT_LT(Sorted(measured.skews_us).median(), 500'000);
    EXPECT_GE(*std::min_element(measured.skews_us.begin(), measured.skews_us.end()), 0);
    EXPECT_EQ(measured.wrong_elements, 0U);
    // Rank 0 has everyone's entries, on one clock.
    std::vector<double> apart_us;
    for (const auto& entries : measured.samples.entry_us) {
      ASSERT_EQ(entries.size(), 20U);
      apart_us.push_back(std::abs(Sorted(entries).median() - Sorted(measured.samples.entry_us[0]).median()));
    }
    EXPECT_EQ(apart_us.size(), ranks.rank() == 0 ? shifts_.size() : 0);
    for (const double apart : apart_us) EXPECT_LT(apart, 500'000);
  });
}

}  // namespace
}  // namespace ringmark
