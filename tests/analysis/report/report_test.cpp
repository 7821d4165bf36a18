#include "analysis/report/report.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/table/column_roles.hpp"
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
  EXPECT_THAT(data["headline"].get<std::string>(),
              AllOf(HasSubstr("tcp is the fastest transport at 1M"), HasSubstr("all_reduce float32 sum, 4 ranks"),
                    HasSubstr("0.150 GB/s"), HasSubstr("74.8 %")));
  EXPECT_EQ(data["cases"][0]["series"].size(), 2U);
  EXPECT_EQ(data["cases"][0]["series"][1]["label"], "tcp");
  EXPECT_EQ(data["comparison"]["rows"].size(), 2U);
  EXPECT_EQ(data["rows"].size(), 24U);
}

TEST(Report, does_not_claim_what_is_not_shown) {
  const auto table = two_transports(1.00001);
  EXPECT_THAT(data_of(table)["headline"].get<std::string>(), HasSubstr("No transport is clearly the fastest"));
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
  EXPECT_THAT(data["headline"].get<std::string>(), AllOf(HasSubstr("0.157 GB/s"), HasSubstr("rank 2 is slow")));
  EXPECT_TRUE(data["comparison"].is_null());
  EXPECT_TRUE(data["notes"].empty()) << data["notes"];
  EXPECT_EQ(data["links"].size(), 1U);
  EXPECT_EQ(data["cases"].size(), 1U);
}

TEST(Report, of_links_alone_has_a_headline_and_a_matrix_of_each_test) {
  Table table;
  add_links(table, LinkTest::bandwidth);
  add_links(table, LinkTest::latency);
  add_configurations(table);
  const auto data = data_of(table);
  const auto headline = data["headline"].get<std::string>();
  EXPECT_THAT(headline, HasSubstr("0.0602 to 0.121 GB/s"));
  EXPECT_THAT(headline, HasSubstr("latency is 8"));
  EXPECT_THAT(headline, HasSubstr("rank 2 is slow"));
  ASSERT_EQ(data["links"].size(), 2U);
  EXPECT_EQ(data["links"][1]["test"], "latency");
  EXPECT_EQ(data["links"][1]["unit"], "us");
  EXPECT_EQ(data["links"][1]["pairs"].size(), 12U);
  EXPECT_EQ(data["links"][1]["pairs"][9], (nlohmann::json{3, 0, 11.0}));
  // The row and the column of the slow host.
  EXPECT_EQ(data["links"][0]["marked"].size(), 6U);
  for (const auto& pair : data["links"][0]["marked"]) EXPECT_TRUE(pair[0] == 2 || pair[1] == 2) << pair;
  EXPECT_TRUE(data["comparison"].is_null());
}

/// A sweep's rows: `launches` of each of four settings for two sizes.
Table two_settings(int launches) {
  Table table;
  for (int launch = 0; launch < launches; ++launch) {
    for (const std::string sockets : {"1", "4"}) {
      for (const std::string slice : {"64K", "1M"}) {
        for (const std::uint64_t size : {4096, 1 << 20}) {
          const double faster = (sockets == "4" ? 0.5 : 1) * (slice == "1M" ? 0.8 : 1) * (1 + 0.001 * launch);
          auto row = measured(sockets + slice + "." + std::to_string(launch), static_cast<double>(size) * faster, size);
          row.time_utc = "2026-11-27T09:5" + std::to_string(launch) + ":00Z";
          row.extra = {{"tcp.sockets", sockets}, {"tcp.slice", slice}};
          row.settings = settings_from({{"hosts", "node[01-04]"}, {"version", "0.1.0"}, {"label.cluster", "eu1"}});
          table.add(row, "sweep/results.csv", table.rows() + 2);
        }
      }
    }
  }
  add_configurations(table);
  return table;
}

TEST(Report, names_all_settings_that_vary) {
  const auto data = data_of(two_settings(6));
  EXPECT_EQ(data["comparison"]["by"], "configuration");
  EXPECT_EQ(data["comparison"]["rows"].size(), 6U);
  for (const auto& text : {data["headline"], data["answer"]["rows"][0][2]})
    EXPECT_THAT(text.get<std::string>(), AllOf(HasSubstr("tcp.sockets=4"), HasSubstr("tcp.slice=1M")));
}

TEST(Report, by_one_setting_names_the_others_of_the_best_as_well) {
  const auto table = two_settings(6);
  const auto data = nlohmann::json::parse(report_data({table, {}, {}, {}, {{.by = "tcp.sockets"}, {}}}));
  EXPECT_EQ(data["comparison"]["by"], "tcp.sockets");
  EXPECT_THAT(data["headline"].get<std::string>(), AllOf(HasSubstr("tcp.sockets=4"), HasSubstr("tcp.slice=1M")));
}

TEST(Report, begins_with_the_question_the_cluster_its_hosts_and_the_settings) {
  const auto table = two_settings(3);
  const std::vector<RunFact> facts{{"sweep", {"question"}, "How many sockets?"}};
  const auto data = nlohmann::json::parse(report_data({table, {}, {}, facts, {}}));
  std::map<std::string, std::string> head;
  for (const auto& fact : data["head"]) head[fact[0]] = fact[1];
  EXPECT_EQ(head["Question"], "How many sockets?");
  EXPECT_EQ(head["Cluster"], "eu1");
  EXPECT_EQ(head["Hosts"], "node[01-04] (4 hosts)");
  EXPECT_EQ(head["Measured"], "2026-11-27 09:50 to 09:52 UTC");
  EXPECT_EQ(head["Software"], "ringmark 0.1.0");
  EXPECT_THAT(head["Settings that varied"], AllOf(HasSubstr("tcp.sockets: 1, 4"), HasSubstr("tcp.slice: 64K, 1M")));
}

TEST(Report, keeps_undecided_comparisons_apart_with_the_launches_that_are_enough) {
  const auto few = data_of(two_settings(1))["comparison"];
  EXPECT_TRUE(few["rows"].empty());
  EXPECT_EQ(few["undecided"].size(), 6U);
  const auto enough = few["enough_launches"].get<int>();
  EXPECT_THAT(few["undecided_words"].get<std::string>(), HasSubstr(std::to_string(enough)));
  const auto many = data_of(two_settings(enough))["comparison"];
  EXPECT_TRUE(many["undecided"].empty());
  EXPECT_EQ(many["undecided_words"], "");
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
