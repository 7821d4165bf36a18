#include "analysis/recommend/portability.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

TEST(Portability, is_the_harmonic_mean_or_nothing) {
  EXPECT_DOUBLE_EQ(performance_portability({1.0, 0.5}), 2 / 3.0);
  EXPECT_DOUBLE_EQ(performance_portability({1.0, std::nullopt}), 0);
  EXPECT_DOUBLE_EQ(performance_portability({}), 0);
}

TEST(Portability, reproduces_the_published_table) {
  std::ostringstream text;
  text << std::ifstream(RINGMARK_SOURCE_DIR "/results/reference/zero_throughput.csv").rdbuf();
  const auto all = portability(platforms_from_csv("zero_throughput.csv", text.str()));
  const auto phi = [&](const std::string& begin) {
    for (const auto& one : all) {
      if (one.configuration.starts_with(begin)) return one.phi_application;
    }
    return -1.0;
  };
  EXPECT_NEAR(phi("ZeRO-1"), 0.693, 0.0005);
  EXPECT_NEAR(phi("ZeRO-2"), 0.889, 0.0005);
  EXPECT_DOUBLE_EQ(phi("tuned"), 1);
  EXPECT_EQ(all.front().configuration, "tuned");
}

TEST(Portability, of_tables_that_are_none) {
  for (const std::string text :
       {"", "configuration\n", "a,b\n1,2\n", "configuration,p\nx\n", "configuration,p\nx,fast\n",
        "configuration,p\nx,0\n", "configuration,p\nx,1\nx,2\n", "configuration,p\n\"x"}) {
    EXPECT_THROW(platforms_from_csv("t", text), BadUsage) << text;
  }
}

TEST(Portability, of_results_by_network_against_what_links_carry) {
  Table table;
  for (const std::string network : {"ib", "tcp"}) {
    auto link = measured("l" + network, 100, 1 << 20, 2);
    link.schema = Schema::link;
    link.collective = LinkTest::bandwidth;
    link.network = parse_network(network);
    link.algbw_GBps = network == "ib" ? 20 : 2;
    link.link = {0, 1};
    table.add(link, "l", 1);
    auto row = measured("r" + network, 100);
    row.network = parse_network(network);
    row.busbw_GBps = network == "ib" ? 10 : 2;
    table.add(row, "r", 1);
  }
  const auto all = platforms_from_results(table, all_rows(table), "network");
  ASSERT_EQ(all.size(), 1U);
  const auto one = portability(all.begin()->second);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_DOUBLE_EQ(one[0].phi_application, 1);
  EXPECT_DOUBLE_EQ(one[0].phi_architectural.value(), 2 / (1 / 0.5 + 1 / 1.0));
}

TEST(Portability, as_rows_has_nothing_where_a_platform_is_unsupported_or_has_no_limit) {
  const auto platforms = platforms_from_csv("t", "configuration,p,q\na,2,\nb,1,3\nlimit,4,6\n");
  const auto rows = json_rows_of("case", platforms, portability(platforms));
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    const bool is_missing = row["configuration"] == "a" && row["platform"] == "q";
    EXPECT_EQ(row["performance"].is_null(), is_missing) << row;
    EXPECT_EQ(row["limit"], row["platform"] == "p" ? 4 : 6) << row;
    if (row["configuration"] != "b" || row["platform"] != "p") continue;
    EXPECT_EQ(row["application_efficiency"], 0.5) << row;
  }
  auto unlimited = platforms;
  unlimited.limit.clear();
  for (const auto& row : json_rows_of("case", unlimited, portability(unlimited)))
    EXPECT_TRUE(row["limit"].is_null() && row["architectural_efficiency"].is_null()) << row;
}

TEST(Portability, names_the_platform_whose_figures_are_in_doubt) {
  Table table;
  add_mpi_in_doubt(table);
  const auto all = platforms_from_results(table, all_rows(table), "transport");
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all.begin()->second.doubts.size(), 1U);
  EXPECT_TRUE(all.begin()->second.doubts[0].starts_with("mpi: 4 ranks share 2 cores")) << all.begin()->second.doubts[0];
}

}  // namespace
}  // namespace ringmark::analysis
