// results/README.md is the dictionary of the columns. Its tables are those that the schema's declarations make.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "results/schema/columns.hpp"

namespace ringmark {
namespace {

std::string table_of(std::string_view what, std::span<const Column> columns) {
  auto table = fmt::format("| {} | unit | meaning |\n|---|---|---|\n", what);
  for (const auto& column : columns)
    table += fmt::format("| `{}` | {} | {} |\n", column.name, column.unit, column.meaning);
  return table;
}

class Dictionary : public testing::TestWithParam<std::pair<std::string_view, std::span<const Column>>> {};

TEST_P(Dictionary, has_the_table_of_the_schema) {
  const auto table = table_of(GetParam().first, GetParam().second);
  const auto page = read_file(RINGMARK_SOURCE_DIR "/results/README.md");
  EXPECT_NE(page.find("\n\n" + table + "\n"), std::string::npos) << "results/README.md needs this table:\n\n" << table;
}

INSTANTIATE_TEST_SUITE_P(Tables, Dictionary,
                         testing::Values(std::pair("column", contract_columns()),
                                         std::pair("key of `settings`", settings_keys()),
                                         std::pair("column of `link/1`", own_columns_of(Schema::link)),
                                         std::pair("column of `replay/1`", own_columns_of(Schema::replay))));

}  // namespace
}  // namespace ringmark
