#include "analysis/table/origins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table/column_roles.hpp"
#include "results/files/result_file.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Record from(const std::string& run, const std::string& hosts, const std::string& version) {
  auto row = measured(run, 100);
  row.settings = settings_from({{"hosts", hosts}, {"version", version}, {"label.cluster", "eu1"}});
  return row;
}

TEST(Origins, are_told_for_each_file) {
  Table table;
  table.add(from("a.1", "n[1-2]*2", "0.1.0 (a)"), "A", 2);
  table.add(from("a.2", "n[2-3]*2", "0.1.0 (b)"), "A", 3);
  auto link = measured("l", 100);
  link.schema = Schema::link, link.link = {0, 1};
  link.settings = settings_from({{"src_host", "n8"}, {"dst_host", "n9"}});
  table.add(link, "B", 2);
  const auto origins = origins_of(table);
  ASSERT_EQ(origins.size(), 2U);
  const auto &first = origins.at("A"), &second = origins.at("B");
  EXPECT_EQ(first.rows, 2U);
  EXPECT_EQ(first.runs, 2U);
  EXPECT_THAT(first.hosts, ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(first.versions, ElementsAre("0.1.0 (a)", "0.1.0 (b)"));
  EXPECT_THAT(first.labels, ElementsAre("cluster=eu1"));
  EXPECT_THAT(second.hosts, ElementsAre("n8", "n9"));
  EXPECT_THAT(second.labels, IsEmpty());
}

TEST(Origins, have_the_versions_of_libraries) {
  Table table;
  auto row = from("a.1", "n1*2", "0.1.0 (a)");
  row.settings.others["nccl_version"] = "2.28.9";
  table.add(row, "A", 2);
  EXPECT_THAT(origins_of(table).at("A").versions, ElementsAre("0.1.0 (a)", "nccl 2.28.9"));
}

TEST(Origins, have_hosts_in_the_order_of_their_numbers) {
  Table table;
  table.add(from("a.1", "n[8-12]", "0.1.0 (a)"), "A", 2);
  EXPECT_THAT(origins_of(table).at("A").hosts, ElementsAre("n8", "n9", "n10", "n11", "n12"));
}

TEST(Origins, of_rows_that_do_not_tell_them_are_empty) {
  const auto results = read(write_csv(record_header()) + write_csv(to_csv(measured("old", 100))));
  const auto origins = origins_of(results.table);
  ASSERT_EQ(origins.size(), 1U);
  EXPECT_EQ(origins.begin()->second.rows, 1U);
  EXPECT_THAT(origins.begin()->second.hosts, IsEmpty());
  EXPECT_THAT(origins.begin()->second.versions, IsEmpty());
}

TEST(Origins, tell_no_settings_apart) {
  Table table;
  table.add(from("a.1", "n[1-2]*2", "0.1.0 (a)"), "A", 2);
  table.add(from("a.2", "n[3-4]*2", "0.1.0 (b)"), "A", 3);
  const auto columns = setting_columns(table);
  EXPECT_THAT(columns, Not(Contains("hosts")));
  EXPECT_THAT(columns, Not(Contains("version")));
  EXPECT_THAT(columns, Contains("label.cluster"));
  EXPECT_THAT(choices(table), IsEmpty());
}

}  // namespace
}  // namespace ringmark::analysis
