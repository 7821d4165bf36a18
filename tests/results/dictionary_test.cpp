// results/README.md is the dictionary of the columns: it has each of them, and no other.
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/columns.hpp"
#include "results/csv.hpp"

namespace ringmark {
namespace {

using ::testing::UnorderedElementsAreArray;

/// The words in backticks.
std::vector<std::string> in_backticks(std::string_view text) {
  std::vector<std::string> words;
  for (auto begin = text.find('`'); begin != std::string_view::npos; begin = text.find('`')) {
    text.remove_prefix(begin + 1);
    words.emplace_back(text.substr(0, text.find('`')));
    text.remove_prefix(std::min(text.size(), text.find('`') + 1));
  }
  return words;
}

/// The names in the first cells of each table of columns.
std::vector<std::vector<std::string>> tables_of(const std::string& path) {
  std::vector<std::vector<std::string>> tables;
  std::ifstream file(path);
  bool is_of_columns = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| column |")) tables.emplace_back();
    is_of_columns = line.starts_with("|") && (is_of_columns || line.starts_with("| column |"));
    if (!is_of_columns || !line.starts_with("| `")) continue;
    for (auto& name : in_backticks(line.substr(0, line.find('|', 1)))) tables.back().push_back(std::move(name));
  }
  return tables;
}

TEST(Dictionary, has_the_columns_of_the_code) {
  const auto tables = tables_of(std::string(RINGMARK_SOURCE_DIR) + "/results/README.md");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(tables[0], UnorderedElementsAreArray(record_header()));
  EXPECT_THAT(tables[1], UnorderedElementsAreArray(own_columns(Schema::replay)));
}

}  // namespace
}  // namespace ringmark
