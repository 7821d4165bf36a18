#include "bench/harness/session.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "bench/flags/make_counts.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/row.hpp"
#include "tests/bench/harness/session_ranks.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// Does its first operations, and none after them.
class Forgetful final : public Communicator {
 public:
  Forgetful(std::unique_ptr<Fabric> fabric, int ranks, int operations)
      : real_("memory", std::move(fabric), Topology::flat(ranks), {}), left_(operations) {}
  std::string_view backend() const override { return real_.backend(); }
  int rank() const override { return real_.rank(); }
  int size() const override { return real_.size(); }
  Memory& memory() const override { return real_.memory(); }
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const override {
    return real_.why_unsupported(operation, in_place);
  }
  Choice choice_for(const Operation& operation, bool in_place) const override {
    return real_.choice_for(operation, in_place);
  }
  void keep(std::span<std::byte> memory) override { real_.keep(memory); }
  void forget(std::span<std::byte> memory) override { real_.forget(memory); }
  Ticket start(const Operation& operation, Buffers buffers) override { return real_.start(operation, buffers); }
  bool test(Ticket ticket) override { return real_.test(ticket); }
  void wait(Ticket ticket, Clock::duration patience) override { real_.wait(ticket, patience); }
  void progress() override { real_.progress(); }
  void run(const Operation& operation, Buffers buffers, Clock::duration patience) override {
    if (left_-- > 0) real_.run(operation, buffers, patience);
  }
  std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) override {
    return real_.split(ranks, deadline);
  }

 private:
  ScheduleCommunicator real_;
  int left_;
};

TEST(Session, finds_wrong_what_only_looks_right_because_it_was_there_before) {
  constexpr int ranks = 3;
  for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    auto options = quick({4096});
    const auto endpoints = tcp_endpoints(ranks, {});
    const auto network = MemoryNetwork::create(ranks, {});
    Kept kept;
    in_threads(ranks, [&](int rank) {
      auto resources = resources_on_one_host(endpoints[static_cast<std::size_t>(rank)], options.timeout);
      Forgetful communicator(network->fabric(rank), ranks, options.warmup);
      Session session(collective, options, resources, communicator, std::string{"test", {}},
                      rank == 0 ? &kept : nullptr);
      EXPECT_EQ(session.run(), exit_wrong);
    });
    ASSERT_EQ(kept.records.size(), 2U);
    for (const auto& record : kept.records) EXPECT_GT(record.wrong_elements, 0U) << record.in_place;
  }
}

TEST(Session, measures_what_was_asked_and_finds_it_correct) {
  for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    auto options = quick({64, 4096});
    options.datatypes = {DataType::float32, DataType::bfloat16};
    const auto outcome = run_session(3, collective, options);
    EXPECT_EQ(outcome.statuses, std::vector<int>(3, exit_ok));
    ASSERT_EQ(outcome.kept->records.size(), 8U);  // types × sizes × in place or not
    for (const auto& record : outcome.kept->records) {
      EXPECT_EQ(record.status, Status::ok) << record.detail;
      EXPECT_EQ(record.wrong_elements, 0U);
      EXPECT_EQ(record.samples, 12U);
      EXPECT_EQ(record.stop_reason, StopReason::iterations);
      EXPECT_EQ(record.size_bytes % (collective == Collective::all_reduce ? 1 : 3), 0U);
      EXPECT_LE(*record.time_us_min, *record.time_us_p50);
      EXPECT_LE(*record.time_us_p50, *record.time_us_max);
      EXPECT_FALSE(record.time_us_p99);
      EXPECT_NEAR(*record.algbw_GBps, static_cast<double>(record.size_bytes) / *record.time_us_p50 / 1e3, 1e-9);
    }
  }
}

TEST(Session, unequal_blocks_are_checked_and_bound_by_the_busiest_rank) {
  for (const auto collective : {Collective::all_to_all, Collective::all_gather, Collective::reduce_scatter}) {
    auto options = quick({12'000});
    options.counts = SkewedCounts{2};
    options.counts_text = "skew:2";
    options.in_place = collective != Collective::all_to_all;
    const auto outcome = run_session(3, collective, options);
    EXPECT_EQ(outcome.statuses, std::vector<int>(3, exit_ok)) << name(collective);
    for (const auto& record : outcome.kept->records) {
      EXPECT_EQ(record.status, Status::ok) << record.detail;
      EXPECT_EQ(record.wrong_elements, 0U);
      EXPECT_EQ(record.size_bytes, 12'000U);
      EXPECT_EQ(record.settings.counts, "skew:2");
      const auto counts = make_counts(*options.counts, collective, DataType::float32, 3, 12'000);
      EXPECT_NEAR(*record.busbw_GBps, static_cast<double>(4 * counts->bound()) / *record.time_us_p50 / 1e3, 1e-9);
    }
  }
}

TEST(Session, counts_that_are_all_zero_are_unsupported) {
  auto options = quick({0});
  options.in_place = false;
  CountsFile file;
  file.rows = file.columns = 2;
  file.bytes = {0, 0, 0, 0};
  options.counts = file;
  const auto outcome = run_session(2, Collective::all_to_all, options);
  EXPECT_EQ(outcome.statuses, std::vector<int>(2, exit_unusable));
  EXPECT_EQ(outcome.kept->records.at(0).status, Status::unsupported);
}

TEST(Session, keeps_every_sample_of_every_rank_and_the_slowest_decides) {
  const auto outcome = run_session(4, Collective::all_reduce, quick({1024}));
  const auto& samples = outcome.kept->samples.front().time_us;
  ASSERT_EQ(samples.size(), 4U);
  double longest = 0;
  for (const auto& rank : samples) {
    ASSERT_EQ(rank.size(), 12U);
    longest = std::max(longest, *std::max_element(rank.begin(), rank.end()));
  }
  EXPECT_DOUBLE_EQ(*outcome.kept->records.front().time_us_max, longest);
}

TEST(Session, batch_is_one_sample_of_so_many_operations) {
  auto options = quick({1024});
  options.timing = Timing::batch;
  options.iterations = 7;
  const auto outcome = run_session(2, Collective::all_reduce, options);
  EXPECT_EQ(outcome.kept->records[0].samples, 1U);
  EXPECT_EQ(outcome.kept->records[0].timing, Timing::batch);
  EXPECT_FALSE(outcome.kept->records[0].slowest_rank);
  EXPECT_EQ(outcome.kept->records[0].wrong_elements, 0U);
  EXPECT_EQ(outcome.kept->records[1].wrong_elements, 0U);
}

// With -n 1 the only block holds one timed iteration, and the verified one is that one.
TEST(Session, a_bit_flipped_in_flight_is_counted_and_ends_with_status_1) {
  for (const auto in_place : {false, true}) {
    auto options = quick({4096});
    options.iterations = 1;
    options.warmup = 1;
    options.algorithm = "ring";
    options.in_place = in_place;
    options.out_of_place = !in_place;
    // A ring of 4 sends 6 messages per operation: the eighth is in the second, after the warm-up.
    const auto outcome = run_session(4, Collective::all_reduce, options, {.flip = {{.from = 1, .to = 2, .number = 8}}});
    EXPECT_EQ(outcome.statuses, std::vector<int>(4, exit_wrong));
    EXPECT_GT(outcome.kept->records[0].wrong_elements, 0U);
    EXPECT_EQ(outcome.kept->records[0].status, Status::wrong);
  }
}

TEST(Session, a_lost_message_is_a_failed_row_and_an_error) {
  auto options = quick({4096});
  options.timeout = std::chrono::milliseconds(400);
  const auto endpoints = tcp_endpoints(2, {});
  const auto network = MemoryNetwork::create(2, {.lose = {{.from = 0, .to = 1, .number = 9}}});
  Kept kept;
  std::atomic<int> failures = 0;
  in_threads(2, [&](int rank) {
    auto resources = resources_on_one_host(endpoints[static_cast<std::size_t>(rank)], options.timeout);
    ScheduleCommunicator communicator("memory", network->fabric(rank), Topology::flat(2), {});
    Session session(Collective::all_reduce, options, resources, communicator, std::string{"test", {}},
                    rank == 0 ? &kept : nullptr);
    try {
      session.run();
    } catch (const TransportError&) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, 2);
  ASSERT_EQ(kept.records.size(), 1U);
  EXPECT_TRUE(kept.records[0].status == Status::timeout || kept.records[0].status == Status::failed);
}

TEST(Session, what_cannot_be_run_is_a_row_with_the_reason) {
  auto options = quick({4});
  const auto outcome = run_session(3, Collective::reduce_scatter, options);
  EXPECT_EQ(outcome.kept->records[0].status, Status::unsupported);
  EXPECT_NE(outcome.kept->records[0].detail.find("one element per rank"), std::string::npos);
  EXPECT_EQ(outcome.statuses[0], exit_unusable) << "nothing was measured";
}

TEST(Session, one_rank_sends_nothing_and_reports_no_bus_bandwidth) {
  const auto outcome = run_session(1, Collective::all_reduce, quick({4096}));
  EXPECT_EQ(outcome.kept->records[0].status, Status::ok);
  EXPECT_EQ(outcome.kept->records[0].busbw_GBps, 0);
  EXPECT_EQ(outcome.kept->records[0].network, std::nullopt);
}

TEST(PathProof, traffic_that_did_not_cross_the_interface_is_told) {
  const auto endpoints = tcp_endpoints(2, {});
  in_threads(2, [&](int rank) {
    Control control(std::make_unique<TcpFabric>(endpoints[static_cast<std::size_t>(rank)], 1),
                    std::chrono::seconds(30));
    const auto lo = way_out_over({"lo"});
    PathCounters counters(lo);
    counters.count(true);
    counters.count(false);
    constexpr double much = 1e12;
    const auto on_two_hosts = find_path(control, counters, {{"a", "b"}, {"lo", "lo"}}, much, 1, 0);
    EXPECT_TRUE(on_two_hosts.bypassed);
    EXPECT_EQ(on_two_hosts.network, Network::shm);
    const auto on_one_host = find_path(control, counters, {{"a", "a"}, {"lo", "lo"}}, much, 1, 0);
    EXPECT_FALSE(on_one_host.bypassed);
    EXPECT_EQ(on_one_host.network, Network::shm);
    control.barrier();
  });
}

TEST(PathProof, a_row_faster_than_its_link_carries_a_caveat) {
  // Two ranks of a host send a megabyte each through an interface at 8 Gbit/s: two milliseconds.
  const PathEvidence evidence{.needed_bytes = 1e6, .sent_bytes = 1'100'000, .retransmits = {}, .bits_per_s = 8e9};
  const WayOut way_out{.name = "e0", .network = Network::tcp};
  const auto path = find_path({evidence, evidence, evidence}, way_out, {{"a", "a", "b"}, {"e0", "e0", "e0"}}, 1, 0);
  EXPECT_DOUBLE_EQ(path.least_us, 2000);
  Record row;
  const auto caveats_at = [&](double median_us) {
    row.time_us_p50 = median_us;
    row.caveats.clear();
    judge(path, way_out, {}, row);
    return row.caveats;
  };
  EXPECT_EQ(caveats_at(1000), std::vector<Caveat>{FasterThanLink{200}});
  EXPECT_TRUE(caveats_at(2001).empty());
  row.collective = LinkTest::burst;
  EXPECT_TRUE(caveats_at(1000).empty()) << "that is what it measures";
}

}  // namespace
}  // namespace ringmark
