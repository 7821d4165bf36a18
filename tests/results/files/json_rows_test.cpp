#include "results/files/json_rows.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "results/files/result_file.hpp"

namespace ringmark {
namespace {

Record measured() {
  Record record;
  record.transport = Transport::tcp;
  record.collective = Collective::all_reduce;
  record.ranks = 4;
  record.size_bytes = 1U << 31U;
  record.time_us_p50 = 12.5;
  record.status = Status::ok;
  record.settings = settings_from({{"label.cluster", "eu1"}});
  return record;
}

TEST(JsonRows, have_the_columns_of_the_contract_with_numbers_as_numbers) {
  const auto row = json_row(measured());
  std::vector<std::string> names;
  for (const auto& [name, value] : row.items()) names.push_back(name);
  EXPECT_EQ(names, record_header());
  EXPECT_EQ(row["time_us_p50"], 12.5);
  EXPECT_EQ(row["size_bytes"], std::uint64_t{1} << 31U);
  EXPECT_TRUE(row["time_us_p99"].is_null());
  EXPECT_TRUE(row["algorithm_used"].is_null());
  EXPECT_EQ(row["transport"], "tcp");
  EXPECT_EQ(row["settings"]["label.cluster"], "eu1");
}

TEST(JsonRows, of_links_end_in_their_ranks) {
  auto record = measured();
  record.schema = Schema::link;
  record.link = {2, 3};
  const auto row = json_row(record);
  EXPECT_TRUE(row["src"].is_number_integer());
  EXPECT_EQ(row["src"], 2);
  EXPECT_EQ(row["dst"], 3);
}

class JsonFile : public testing::Test {
 protected:
  JsonFile() { std::filesystem::remove(path_); }
  ~JsonFile() override { std::filesystem::remove(path_); }
  JsonRow content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return nlohmann::ordered_json::parse(text.str());
  }

  std::string path_ = std::filesystem::temp_directory_path() / ("ringmark-rows-" + std::to_string(::getpid()));
};

TEST_F(JsonFile, is_valid_after_every_row_and_takes_those_of_later_runs) {
  for (std::size_t run = 0; run < 2; ++run) {
    const auto sink = make_json_sink(path_);
    sink->begin({});
    EXPECT_EQ(content().size(), 2 * run);
    sink->add(measured(), {});
    EXPECT_EQ(content().size(), 2 * run + 1);
    sink->add(measured(), {});
  }
  EXPECT_EQ(content().size(), 4U);
}

TEST_F(JsonFile, that_holds_something_else_stays_as_it_is) {
  std::ofstream(path_) << R"({"mine": [1]})";
  EXPECT_THROW(make_json_sink(path_), std::invalid_argument);
  EXPECT_EQ(content()["mine"][0], 1);
  EXPECT_THROW(make_json_sink("/dev/null"), std::invalid_argument);
}

/// RINGMARK_PYTHON names an interpreter that has the package.
std::string python() {
  const char* named = std::getenv("RINGMARK_PYTHON");
  return named != nullptr ? named : "python3";
}
bool succeeds(const std::string& script) {
  return std::system((python() + " -c '" + script + "' 2>/dev/null").c_str()) == 0;
}

TEST_F(JsonFile, is_a_table_for_pandas) {
  if (!succeeds("import pandas")) GTEST_SKIP() << "pandas is not installed";
  const auto sink = make_json_sink(path_);
  sink->begin({});
  sink->add(measured(), {});
  EXPECT_TRUE(succeeds("import pandas; t = pandas.read_json(\"" + path_ +
                       "\"); assert t.shape[0] == 1 and t.size_bytes[0] == 2**31 and t.time_us_p50[0] == 12.5"));
}

TEST_F(JsonFile, is_a_table_for_duckdb) {
  if (!succeeds("import duckdb")) GTEST_SKIP() << "duckdb is not installed";
  const auto sink = make_json_sink(path_);
  sink->begin({});
  sink->add(measured(), {});
  EXPECT_TRUE(
      succeeds("import duckdb; assert duckdb.sql(\"select size_bytes, time_us_p50, transport from read_json_auto(" +
               ("$$" + path_ + "$$") + ")\").fetchall() == [(2**31, 12.5, \"tcp\")]"));
}

TEST(JsonRows, make_a_whole_file) {
  EXPECT_EQ(nlohmann::json::parse(json_rows({})).size(), 0U);
  EXPECT_EQ(nlohmann::json::parse(json_rows({{{"a", 1}}, {{"a", nullptr}}})).size(), 2U);
}

}  // namespace
}  // namespace ringmark
