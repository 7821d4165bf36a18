#include "history/store/parts.hpp"

#include <set>

#include <gmock/gmock.h>

#include "tests/history/stores.hpp"

namespace ringmark::history {
namespace {

TEST(Parts, hold_each_column_of_the_schema_once) {
  std::multiset<std::string_view> found, all;
  for (const auto part : {Part::series, Part::launch, Part::row}) {
    for (const auto* column : columns_of(part)) found.insert(column->name);
  }
  for (const auto columns :
       {contract_columns(), settings_keys(), own_columns_of(Schema::link), own_columns_of(Schema::replay)}) {
    for (const auto& column : columns) all.insert(column.name);
  }
  all.erase("settings");
  EXPECT_EQ(found, all);
}

TEST(Parts, cells_that_a_record_cannot_hold_are_kept_as_words) {
  const auto* column = find_contract_column("datatype");
  StoredRow row;
  set_value(row, *column, std::string("fp6_e3m2"));
  EXPECT_TRUE(row.record.datatype.empty());
  EXPECT_EQ(value_in(row, *column), TypedCell("fp6_e3m2"));
  set_value(row, *find_contract_column("ranks"), std::int64_t{8});
  EXPECT_EQ(row.record.ranks, 8);
}

TEST(Parts, options_are_of_the_series_and_versions_of_the_launch) {
  auto row = row_of("a", 10);
  row.record.settings.others = {{"NCCL_ALGO", "Ring"}, {"nccl_version", "2.28.9"}, {"label.rack", "5"}};
  EXPECT_THAT(options_of(row.record),
              testing::UnorderedElementsAre(testing::Pair("NCCL_ALGO", "Ring"), testing::Pair("label.rack", "5")));
  EXPECT_THAT(facts_of(row.record), testing::UnorderedElementsAre(testing::Pair("nccl_version", "2.28.9")));
}

TEST(Parts, series_differ_by_case_and_setting_alone) {
  const auto digest = series_digest(row_of("a", 10));
  EXPECT_EQ(series_digest(row_of("b", 11)), digest);
  EXPECT_NE(series_digest(row_of("a", 10, 2048)), digest);
  auto row = row_of("a", 10);
  row.record.settings.hosts = "node[3-4]*2";
  row.record.settings.others["nccl_version"] = "2.28.9";
  EXPECT_EQ(series_digest(row), digest);
  row.record.settings.others["NCCL_ALGO"] = "Ring";
  EXPECT_NE(series_digest(row), digest);
  auto variable = row_of("a", 10);
  variable.record.extra["tcp.sockets"] = "2";
  EXPECT_NE(series_digest(variable), digest);
}

TEST(Parts, rows_differ_by_any_value) {
  const auto digest = row_digest(row_of("a", 10));
  EXPECT_EQ(row_digest(row_of("a", 10)), digest);
  EXPECT_NE(row_digest(row_of("a", 10.5)), digest);
  EXPECT_NE(row_digest(row_of("b", 10)), digest);
  auto word = row_of("a", 10);
  word.words["datatype"] = "fp6";
  EXPECT_NE(row_digest(word), digest);
}

}  // namespace
}  // namespace ringmark::history
