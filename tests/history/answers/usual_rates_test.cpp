#include "history/answers/usual_rates.hpp"

#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

/// GB/s of a bus of four ranks that send 1 MiB in that time.
double busbw_GBps(double time_us) { return 1048576 / time_us / 1e3 * 1.5; }

TEST_F(StoreTest, the_usual_all_reduce_is_the_median_since_the_last_change) {
  std::vector<double> times_us(40, 100);
  for (std::size_t i = 0; i < times_us.size(); ++i) times_us[i] = (i < 20 ? 100 : 200) + static_cast<double>(i % 3);
  add_daily(times_us);
  const auto usual = usual_all_reduce(path("history.db"), "lab", {1048576, 4, Transport::tcp});
  ASSERT_TRUE(usual);
  EXPECT_NEAR(usual->GBps, busbw_GBps(201), 0.01);
  EXPECT_EQ(usual->launches, 20U);
  EXPECT_FALSE(usual_all_reduce(path("history.db"), "lab", {1048576, 8, Transport::tcp}));
  EXPECT_FALSE(usual_all_reduce(path("history.db"), "lab", {2048, 4, Transport::tcp}));
  EXPECT_FALSE(usual_all_reduce(path("history.db"), "cloud", {1048576, 4, Transport::tcp}));
  EXPECT_THROW(usual_all_reduce(path("none.db"), "lab", {1048576, 4, Transport::tcp}), BadUsage);
}

TEST_F(StoreTest, the_usual_all_reduce_is_of_what_is_measured_the_same_way) {
  for (int number = 0; number < 6; ++number) {
    auto of_tcp = row_of(fmt::format("tcp-{}", number), 100), of_nccl = row_of(fmt::format("nccl-{}", number), 10);
    of_nccl.record.transport = Transport::nccl;
    of_nccl.record.timing = Timing::batch;
    for (const auto& row : {of_tcp, of_nccl})
      add(store(), contents_of(row.record.run_id, {launch_of(day(number), {row})}), "lab");
  }
  const auto usual = [&](const AllReduceCase& asked) { return usual_all_reduce(path("history.db"), "lab", asked); };
  EXPECT_NEAR(usual({1048576, 4, Transport::tcp})->GBps, busbw_GBps(100), 1e-6);
  EXPECT_FALSE(usual({1048576, 4, Transport::nccl})) << "those are back to back";
  EXPECT_NEAR(usual({1048576, 4, Transport::nccl, Timing::batch})->GBps, busbw_GBps(10), 1e-6);
  EXPECT_FALSE(usual({1048576, 4, Transport::mpi}));
  EXPECT_FALSE(usual({.size_bytes = 1048576, .ranks = 4, .transport = Transport::tcp, .datatype = DataType::int8}));
  EXPECT_FALSE(usual({.size_bytes = 1048576, .ranks = 4, .transport = Transport::tcp, .algorithm = "two_level"}));
}

TEST_F(StoreTest, few_launches_are_no_usual_rate) {
  add_daily({100, 100, 100, 100});
  EXPECT_FALSE(usual_all_reduce(path("history.db"), "lab", {1048576, 4, Transport::tcp}));
}

TEST_F(StoreTest, the_usual_link_is_the_median_of_those_between_the_hosts) {
  for (int number = 0; number < 6; ++number) {
    std::vector<StoredRow> rows;
    for (const auto& [from, to, time_us] : {std::tuple{"a", "b", 100.0}, {"b", "a", 110.0}, {"a", "c", 400.0}}) {
      auto& row = rows.emplace_back(row_of(fmt::format("run-{}", number), time_us)).record;
      row.schema = Schema::link;
      row.collective = Workload(LinkTest::bandwidth);
      row.link = LinkEnds{0, 1};
      row.settings.hosts.clear();
      row.settings.src_host = from;
      row.settings.dst_host = to;
    }
    add(store(), contents_of(fmt::format("{}", number), {launch_of(day(number), rows)}), "lab");
  }
  const auto usual = usual_link(path("history.db"), "lab", 1048576, Transport::tcp, {"a", "b"});
  EXPECT_FALSE(usual_link(path("history.db"), "lab", 1048576, Transport::nccl, {"a", "b"}));
  ASSERT_TRUE(usual);
  EXPECT_NEAR(usual->GBps, 1048576 / 1e3 * (1 / 100.0 + 1 / 110.0) / 2, 1e-6);
  EXPECT_FALSE(usual_link(path("history.db"), "lab", 1048576, Transport::tcp, {"b", "c"}));
}

}  // namespace
}  // namespace ringmark::history
