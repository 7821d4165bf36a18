#include "analysis/fit/burst.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Record link_row(LinkTest test, std::uint64_t size, double time_us, Network network = Network::tcp) {
  auto row = measured("l", time_us, size, 2);
  row.schema = Schema::link;
  row.collective = test;
  row.network = network;
  row.link = {0, 1};
  return row;
}

/// 1 MiB at 0.1 GB/s takes 10485.76 us.
constexpr std::uint64_t size = 1 << 20;
constexpr double whole_us = size * 1e-2;

struct Found {
  std::vector<FitBurst> bursts;
  std::vector<std::string> notes;
};
Found found(const std::vector<Record>& rows) {
  Table table;
  for (const auto& row : rows) table.add(row, "l", 1);
  Found all;
  all.bursts = bursts_in(table, all_rows(table), all.notes);
  return all;
}

TEST(Burst, is_what_the_bandwidth_does_not_explain) {
  const double short_us = (size - (128 << 10)) * 1e-2 + 2 * 25;
  const auto all =
      found({link_row(LinkTest::latency, 8, 25), link_row(LinkTest::bandwidth, size, whole_us),
             link_row(LinkTest::burst, size, short_us), link_row(LinkTest::bandwidth, size, whole_us, Network::roce)});
  EXPECT_THAT(all.bursts, ElementsAre(FitBurst{"tcp", "tcp", 128 << 10, 0.1})) << "the other network has none measured";
  EXPECT_THAT(all.notes, IsEmpty());
}

TEST(Burst, is_of_links_between_hosts) {
  const double short_us = (size - (128 << 10)) * 1e-2;
  auto within = link_row(LinkTest::bandwidth, size, whole_us / 100);
  within.nodes = 1;
  auto between = link_row(LinkTest::bandwidth, size, whole_us), rested = link_row(LinkTest::burst, size, short_us);
  between.nodes = rested.nodes = 2;
  const auto all = found({within, within, within, between, rested});
  EXPECT_THAT(all.bursts, ElementsAre(FitBurst{"tcp", "tcp", 128 << 10, 0.1}));
}

TEST(Burst, is_nothing_where_a_rested_link_is_slower) {
  const auto all =
      found({link_row(LinkTest::bandwidth, size, whole_us), link_row(LinkTest::burst, size, 1.2 * whole_us)});
  EXPECT_THAT(all.bursts, ElementsAre(FitBurst{"tcp", "tcp", 0, 0.1}));
}

TEST(Burst, as_long_as_the_message_is_not_known) {
  const auto all =
      found({link_row(LinkTest::bandwidth, size, whole_us), link_row(LinkTest::burst, size, 0.1 * whole_us)});
  EXPECT_THAT(all.bursts, IsEmpty());
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("measure larger --sizes")));
}

TEST(Burst, that_had_no_time_to_fill_up_is_told) {
  // 50 ms at 1 MB/s: at most 50 kB.
  const double slow_us = size * 1.0;
  const auto all =
      found({link_row(LinkTest::bandwidth, size, slow_us), link_row(LinkTest::burst, size, slow_us - 49'000)});
  EXPECT_EQ(all.bursts.size(), 1U);
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("had not fully recovered after 50 ms")));
}

TEST(Burst, of_collectives_alone_is_not_told) { EXPECT_THAT(found({measured("r", 100)}).bursts, IsEmpty()); }

}  // namespace
}  // namespace ringmark::analysis
