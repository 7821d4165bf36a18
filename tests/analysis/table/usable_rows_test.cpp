#include "analysis/table/usable_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PooledFiles, are_those_that_measured_the_same) {
  Table table;
  table.add(measured("a.1", 100, 1 << 20, 4), "A/results.csv", 2);
  table.add(measured("a.2", 100, 1 << 20, 4), "A/results.csv", 3);
  EXPECT_THAT(pooled_files_in_words(table, all_rows(table)), IsEmpty());
  table.add(measured("b.1", 200, 1 << 21, 4), "B/results.csv", 2);
  EXPECT_THAT(pooled_files_in_words(table, all_rows(table)), IsEmpty()) << "another size";
  table.add(measured("b.2", 200, 1 << 20, 4), "B/results.csv", 3);
  EXPECT_THAT(pooled_files_in_words(table, all_rows(table)),
              AllOf(HasSubstr("1M "), HasSubstr("A/results.csv"), HasSubstr("B/results.csv")));
}

TEST(LinkRows, are_those_between_hosts_where_there_are_any) {
  Table table;
  const auto add = [&](LinkTest test, int nodes) {
    auto row = measured("l", 100, 1 << 20, 4);
    row.schema = Schema::link, row.collective = test, row.nodes = nodes;
    row.link = {0, 1};
    table.add(row, "l", table.rows() + 2);
  };
  add(LinkTest::bandwidth, 1);
  EXPECT_THAT(link_rows(table, all_rows(table), LinkTest::bandwidth), ElementsAre(0));
  add(LinkTest::latency, 2);
  add(LinkTest::bandwidth, 2);
  EXPECT_THAT(link_rows(table, all_rows(table), LinkTest::bandwidth), ElementsAre(2));
  EXPECT_THAT(link_rows(table, all_rows(table)), ElementsAre(1, 2));
}

TEST(LinkRows, are_none_of_an_incast) {
  Table table;
  for (const char* senders : {"3", ""}) {
    auto row = measured("l", 100, 1 << 20, 4);
    row.schema = Schema::link, row.collective = LinkTest::bandwidth, row.nodes = 2;
    row.link = {0, 1};
    if (*senders != 0) row.settings.senders = std::stoi(senders);
    table.add(row, "l", table.rows() + 2);
  }
  table.finish_file();
  EXPECT_THAT(link_rows(table, all_rows(table)), ElementsAre(1));
}

}  // namespace
}  // namespace ringmark::analysis
