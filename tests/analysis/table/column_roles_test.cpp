#include "analysis/table/column_roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

/// A row for each value of a setting.
Table rows_with(const std::string& setting, const std::vector<std::string>& values) {
  Table table;
  for (const auto& value : values) {
    auto row = measured("run" + value, 100, 1 << 20, 4);
    row.settings = settings_from({{setting, value}});
    table.add(row, "rows.csv", table.rows() + 2);
  }
  table.finish_file();
  return table;
}

TEST(CaseColumns, have_groups_and_agreed_starts_where_rows_have_them) {
  const auto plain = case_columns(rows_with("tcp.sockets", {"1"}));
  EXPECT_THAT(plain, Contains("collective"));
  EXPECT_THAT(plain, Not(Contains("members")));
  EXPECT_THAT(plain, Not(Contains("start")));
  EXPECT_THAT(case_columns(rows_with("members", {"0,1"})), Contains("members"));
  Table agreed;
  auto row = measured("a", 100, 1 << 20, 4);
  row.start = Start::window;
  agreed.add(row, "rows.csv", 2);
  EXPECT_THAT(case_columns(agreed), Contains("start"));
}

TEST(SettingColumns, are_no_groups_and_no_origins) {
  EXPECT_THAT(setting_columns(rows_with("tcp.sockets", {"1", "4"})),
              ElementsAre("transport", "tcp.sockets", "algorithm", "memory", "network", "file"));
  for (const char* other : {"members", "hosts", "version"})
    EXPECT_THAT(setting_columns(rows_with(other, {"a", "b"})), Not(Contains(other)));
}

TEST(SettingColumns, have_the_version_of_a_library_once_there_are_two) {
  EXPECT_THAT(setting_columns(rows_with("nccl_version", {"2.27.7", "2.29.3"})), Contains("nccl_version"));
  EXPECT_THAT(choices(rows_with("nccl_version", {"2.27.7", "2.29.3"})), ElementsAre("nccl_version"));
  EXPECT_THAT(setting_columns(rows_with("nccl_version", {"2.27.7", ""})), Not(Contains("nccl_version")))
      << "rows of other transports have none";
}

TEST(Choices, vary_and_can_be_chosen) {
  EXPECT_THAT(choices(rows_with("tcp.sockets", {"1", "4"})), ElementsAre("tcp.sockets"));
  EXPECT_THAT(choices(rows_with("tcp.sockets", {"1", "1"})), ElementsAre());
  EXPECT_THAT(choices(rows_with("model", {"llama-8b", "opt-125m"})), ElementsAre());
}

TEST(Configurations, name_the_choices_that_are_set) {
  auto table = rows_with("tcp.sockets", {"", "4"});
  add_configurations(table);
  EXPECT_EQ(table.text(configuration_column)[0], "");
  EXPECT_EQ(table.text(configuration_column)[1], "tcp.sockets=4");
}

TEST(Configurations, are_refused_where_more_settings_vary_than_an_answer_can_name) {
  Table table;
  for (const char* value : {"a", "b"}) {
    auto row = measured(value, 100, 1 << 20, 4);
    for (int i = 0; i < 201; ++i) row.settings.others["option" + std::to_string(i)] = value;
    table.add(row, "rows.csv", table.rows() + 2);
  }
  table.finish_file();
  EXPECT_THROW(add_configurations(table), BadUsage);
}

}  // namespace
}  // namespace ringmark::analysis
