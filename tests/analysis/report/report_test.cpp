#include "analysis/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/column_roles.hpp"
#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::AllOf;
using testing::HasSubstr;

/// Six launches of each: mpi takes `mpi_factor` times as long as tcp.
Table two_transports(double mpi_factor) {
  Table table;
  for (int launch = 0; launch < 6; ++launch) {
    for (const std::uint64_t size : {4096, 1 << 20}) {
      const double time = static_cast<double>(size) / 100 * (1 + 0.001 * launch);
      table.add(measured("t" + std::to_string(launch), time, size), "r.csv", 2);
      auto row = measured("m" + std::to_string(launch), mpi_factor * time, size);
      row.transport = Transport::mpi;
      row.algorithm_used = "";
      table.add(row, "r.csv", 3);
    }
  }
  add_configurations(table);
  return table;
}

nlohmann::json data_of(const Table& table, std::optional<double> link = {}) {
  return nlohmann::json::parse(report_data({table, {}, {}, {}, {{}, link}}));
}

TEST(Report, answers_in_its_first_sentence) {
  const auto table = two_transports(2);
  const auto data = data_of(table, 0.2);
  EXPECT_EQ(data["headline"],
            "tcp is the fastest transport at the largest size, for all_reduce float32 sum, 4 ranks; the best reach "
            "0.150 GB/s, 74.8 % of what a link carries");
  EXPECT_EQ(data["things"][0]["series"].size(), 2U);
  EXPECT_EQ(data["things"][0]["series"][1]["label"], "tcp");
  EXPECT_EQ(data["comparison"]["rows"].size(), 2U);
  EXPECT_EQ(data["rows"].size(), 24U);
}

TEST(Report, does_not_claim_what_is_not_shown) {
  const auto table = two_transports(1.00001);
  EXPECT_THAT(data_of(table)["headline"].get<std::string>(), HasSubstr("No transport is shown to be the fastest"));
}

/// Rows of every pair of `ends` ranks, in a file of their own; end 2 has half the rate.
void add_links(Table& table, LinkTest test, int ends = 4) {
  for (int from = 0; from < ends; ++from) {
    for (int to = 0; to < ends; ++to) {
      if (from == to) continue;
      auto row =
          measured("links", test == LinkTest::latency ? 8 + from : 1000, test == LinkTest::latency ? 8 : 1 << 20);
      row.schema = Schema::link;
      row.collective = test;
      row.algorithm = row.algorithm_used = "";
      row.algbw_GBps = (from == 2 || to == 2 ? 0.06 : 0.12) + 0.0001 * (4 * from + to);
      row.busbw_GBps.reset();
      row.link = {from, to};
      table.add(row, "links.csv", table.rows() + 2);
    }
  }
}

TEST(Report, of_one_transport_and_its_links_compares_nothing_and_leaves_nothing_out) {
  Table table;
  for (int launch = 0; launch < 3; ++launch)
    table.add(measured("t" + std::to_string(launch), 10000 + launch), "r.csv", 2);
  add_links(table, LinkTest::bandwidth);
  add_configurations(table);
  const auto data = data_of(table);
  EXPECT_THAT(data["headline"].get<std::string>(), AllOf(HasSubstr("reaches a busbw of"), HasSubstr("rank 2 is slow")));
  EXPECT_TRUE(data["comparison"].is_null());
  EXPECT_TRUE(data["notes"].empty()) << data["notes"];
  EXPECT_EQ(data["links"].size(), 1U);
  EXPECT_EQ(data["things"].size(), 1U);
}

TEST(Report, of_links_alone_has_a_headline_and_a_matrix_of_each_test) {
  Table table;
  add_links(table, LinkTest::bandwidth);
  add_links(table, LinkTest::latency);
  add_configurations(table);
  const auto data = data_of(table);
  const auto headline = data["headline"].get<std::string>();
  EXPECT_THAT(headline, HasSubstr("Links carry 0.06"));
  EXPECT_THAT(headline, HasSubstr("latency is 8"));
  EXPECT_THAT(headline, HasSubstr("rank 2 is slow"));
  ASSERT_EQ(data["links"].size(), 2U);
  EXPECT_EQ(data["links"][1]["test"], "latency");
  EXPECT_EQ(data["links"][1]["unit"], "us");
  EXPECT_EQ(data["links"][1]["matrix"][3][0], 11);
  EXPECT_TRUE(data["comparison"].is_null());
}

TEST(Report, says_that_samples_show_no_slow_link) {
  auto table = two_transports(2);
  const EntryTimes samples{.run_id = "t0",
                           .hosts = {},
                           .is_step = false,
                           .time_us = 5000,
                           .clock_error_us = 1,
                           .entry_us = std::vector<std::vector<double>>(3, std::vector<double>(50, 0.0))};
  const auto data = nlohmann::json::parse(report_data({table, {}, {samples}, {}, {}}));
  EXPECT_THAT(data["stragglers"]["shortage"].get<std::string>(), HasSubstr("cannot show a slow link"));
  EXPECT_EQ(data_of(table)["stragglers"]["looked_at"], false);
}

TEST(Report, data_cannot_end_the_script_it_is_in) {
  Table table;
  auto row = measured("a", 10);
  row.detail = "</script><script>alert(1)</script>";
  table.add(row, "r.csv", 2);
  add_configurations(table);
  std::string page;
  write_report({table, {}, {}, {}, {}}, [&](std::string_view part) { page += part; });
  EXPECT_EQ(page.find("</script><script>alert"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("Chart.js"));
  EXPECT_EQ(page.find("{{"), page.find("{{", page.find("Chart.js v")));
  for (const std::string outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST(Report, comes_in_parts_that_do_not_grow_with_the_rows) {
  Table table;
  for (std::size_t i = 0; i < 20'000; ++i) table.add(measured("a", static_cast<double>(10 + i % 7)), "r.csv", i + 2);
  add_configurations(table);
  std::size_t longest = 0, all = 0;
  write_report({table, {}, {}, {}, {}}, [&](std::string_view part) {
    longest = std::max(longest, part.size());
    all += part.size();
  });
  EXPECT_GT(all, 2U << 20U);
  EXPECT_LT(longest, 2U << 20U);
}

TEST(Report, of_nothing_is_an_error) {
  Table table;
  auto row = measured("a", 10);
  row.status = Status::failed;
  table.add(row, "r.csv", 2);
  add_configurations(table);
  EXPECT_THROW(report_data({table, {}, {}, {}, {}}), BadUsage);
}

}  // namespace
}  // namespace ringmark::analysis
