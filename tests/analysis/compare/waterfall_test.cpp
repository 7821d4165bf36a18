#include "analysis/compare/waterfall.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

class WaterfallTest : public testing::Test {
 protected:
  void add_collective(const std::string& transport, double busbw_GBps, std::uint64_t size = 1 << 20,
                      Network network = Network::tcp, const std::string& sockets = "") {
    auto row = measured("run" + std::to_string(table_.rows()), 100, size);
    row.transport = parse_transport(transport);
    row.network = network;
    row.busbw_GBps = busbw_GBps;
    row.settings = settings_from({{"tcp.sockets", sockets}});
    table_.add(row, "r", table_.rows() + 2);
  }
  void add_link(double algbw_GBps, std::uint64_t size = 1 << 20, Network network = Network::tcp) {
    auto row = measured("link" + std::to_string(table_.rows()), 100, size, 2);
    row.schema = Schema::link;
    row.collective = LinkTest::bandwidth;
    row.network = network;
    row.algbw_GBps = algbw_GBps;
    row.busbw_GBps = algbw_GBps;
    row.link = {0, 1};
    table_.add(row, "r", table_.rows() + 2);
  }
  std::vector<Waterfall> found(std::optional<double> link_GBps = {}) const {
    return waterfalls(table_, all_rows(table_), link_GBps);
  }

  Table table_;
};

TEST_F(WaterfallTest, goes_from_the_wire_to_our_schedules_and_then_to_libraries) {
  add_collective("mpi", 4);
  add_collective("tcp", 6);
  add_link(8);
  const auto falls = found(10);
  ASSERT_EQ(falls.size(), 1U);
  EXPECT_THAT(falls[0].case_name, HasSubstr("all_reduce"));
  const auto& levels = falls[0].levels;
  ASSERT_EQ(levels.size(), 4U);
  const std::vector<std::string> names{"link rate", "point to point", "tcp", "mpi"};
  const std::vector<double> rates{10, 8, 6, 4}, of_first{100, 80, 60, 40}, lost{0, 20, 25, 50};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(levels[i].name, names[i]);
    EXPECT_DOUBLE_EQ(levels[i].GBps, rates[i]);
    EXPECT_NEAR(levels[i].of_first_percent, of_first[i], 1e-9);
    EXPECT_NEAR(levels[i].lost_percent, lost[i], 1e-9);
  }
}

TEST_F(WaterfallTest, takes_the_largest_size_since_a_burst_may_pass_the_link) {
  add_link(10);
  add_collective("tcp", 30, 1024);
  add_collective("tcp", 5, 1 << 20);
  const auto falls = found();
  ASSERT_EQ(falls.size(), 1U);
  EXPECT_DOUBLE_EQ(falls[0].levels.back().GBps, 5);
  EXPECT_THAT(falls[0].levels.back().where, HasSubstr("1M"));
}

TEST_F(WaterfallTest, takes_the_best_setting_and_the_median_of_its_launches) {
  add_link(10);
  for (const double rate : {1, 2, 9}) add_collective("tcp", rate, 1 << 20, Network::tcp, "1");
  for (const double rate : {3, 4, 5}) add_collective("tcp", rate, 1 << 20, Network::tcp, "4");
  EXPECT_DOUBLE_EQ(found().at(0).levels.back().GBps, 4);
}

TEST_F(WaterfallTest, a_level_says_why_it_is_in_doubt) {
  add_link(10);
  add_mpi_in_doubt(table_);
  const auto falls = found();
  const auto& levels = falls.at(0).levels;
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[1].name, "tcp");
  EXPECT_EQ(levels[1].where, "at 1M");
  EXPECT_THAT(levels[2].where, HasSubstr("in doubt: 4 ranks share 2 cores"));
}

TEST_F(WaterfallTest, each_network_has_its_own) {
  add_link(10, 1 << 20, Network::ib);
  add_link(1, 1 << 20, Network::tcp);
  add_collective("verbs", 5, 1 << 20, Network::ib);
  add_collective("tcp", 0.5, 1 << 20, Network::tcp);
  const auto falls = found();
  ASSERT_EQ(falls.size(), 2U);
  for (const auto& fall : falls) EXPECT_NEAR(fall.levels.back().of_first_percent, 50, 1e-9) << fall.case_name;
  EXPECT_FALSE(point_to_point_GBps(table_, all_rows(table_)));
}

TEST_F(WaterfallTest, needs_a_limit_and_a_collective) {
  add_collective("tcp", 5);
  EXPECT_TRUE(found().empty());
  EXPECT_FALSE(point_to_point_GBps(table_, all_rows(table_)));
  EXPECT_EQ(found(10).size(), 1U);
}

TEST_F(WaterfallTest, links_alone_are_none) {
  add_link(7);
  add_link(9);
  EXPECT_TRUE(found().empty());
  EXPECT_DOUBLE_EQ(point_to_point_GBps(table_, all_rows(table_)).value(), 8);
}

TEST_F(WaterfallTest, prints_a_line_for_each_level) {
  add_link(8);
  add_collective("tcp", 6);
  const auto text = print(found());
  for (const char* words : {"point to point", "8.00", "6.00", "75.0 %", "25.0 %"}) EXPECT_THAT(text, HasSubstr(words));
}

}  // namespace
}  // namespace ringmark::analysis
