// The tables of all programs as files that other programs read: pandas and DuckDB, without an option.
#include <filesystem>

#include "base/system/files.hpp"
#include "tests/programs/analyze_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// Whether Python has these modules: the first reason why not.
std::string why_no_python(const std::string& modules) {
  const auto probe = run("python3 -c 'import " + modules + "'");
  return probe.status == 0 ? "" : "Python has not all of " + modules + " (by pip)";
}

class Tables : public AnalyzeFixture {
 protected:
  struct Table {
    std::string name, schema, command;  ///< the command takes --json FILE at its end
  };
  const std::string shipped_ = RINGMARK_SOURCE_DIR;
  const std::string analyze_ = bin + "/ringmark-analyze ", replay_ = bin + "/ringmark-replay ";
  const std::vector<Table> tables_{
      {"rows", "1", bin + "/ringmark-all-reduce --ranks 2 --sizes 1K,64K -n 5"},
      {"comparison", "comparison/1", analyze_ + "compare " + folder_.file("sweep") + " --by transport"},
      {"fit", "fit-segment/1", analyze_ + "fit " + folder_.file("sweep")},
      {"recommendation", "recommendation/1", analyze_ + "recommend " + folder_.file("sweep")},
      {"stragglers", "straggler/1", analyze_ + "stragglers " + folder_.file("links.csv")},
      {"portability", "portability/1",
       analyze_ + "portability --reference " + shipped_ + "/results/reference/zero_throughput.csv"},
      {"prediction", "prediction/1",
       replay_ + "predict --model opt-125m --framework pytorch-ddp --ranks 8 --device a100 --alpha-us 5 "
                 "--bandwidth-GBps 20"},
      {"score", "score/1", replay_ + "score " + shipped_ + "/tests/replay/files/published_steps.csv"},
      {"sweeps", "sweep/1", bin + "/ringmark-sweep list " + shipped_ + "/sweeps"}};

  std::string written(const Table& table) const {
    const auto file = folder_.file(table.name + ".json");
    const auto result = run(table.command + " --json " + file);
    EXPECT_EQ(result.status, 0) << table.command << "\n" << result.output;
    return file;
  }
};

TEST_F(Tables, are_arrays_of_objects_with_a_schema_and_the_same_keys) {
  for (const auto& table : tables_) {
    const auto rows = nlohmann::ordered_json::parse(read_file(written(table)));
    ASSERT_TRUE(rows.is_array() && !rows.empty()) << table.name;
    std::vector<std::string> keys;
    for (const auto& [key, value] : rows[0].items()) keys.push_back(key);
    EXPECT_EQ(keys.front(), "schema");
    for (const auto& row : rows) {
      EXPECT_EQ(row["schema"], table.schema) << table.name;
      std::size_t same = 0;
      for (const auto& [key, value] : row.items()) same += same < keys.size() && keys[same] == key ? 1 : 0;
      EXPECT_EQ(same, keys.size()) << table.name << row;
    }
  }
  const auto doctor = run(bin + "/ringmark-doctor --json " + folder_.file("doctor.json"));
  const auto report = nlohmann::json::parse(read_file(folder_.file("doctor.json")));
  EXPECT_EQ(report["schema"], "doctor/1") << doctor.output;
}

TEST_F(Tables, say_what_the_text_says) {
  const auto rows = nlohmann::json::parse(read_file(written(tables_[4])));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["kind"], "host");
  EXPECT_LT(rows[0]["p"], 0.01);
  const auto fit = nlohmann::json::parse(read_file(written(tables_[2])));
  bool is_tcp_there = false;
  for (const auto& segment : fit) {
    if (segment["transport"] != "tcp") continue;
    is_tcp_there = true;
    EXPECT_NEAR(segment["alpha_us"], 20, 1);
    EXPECT_NEAR(segment["beta_us_per_byte"], 0.01, 0.0005);
  }
  EXPECT_TRUE(is_tcp_there);
  const auto scores = nlohmann::json::parse(read_file(written(tables_[7])));
  for (const auto& step : scores)
    EXPECT_NEAR(step["relative_error"], step["predicted_s"].get<double>() / step["measured_s"].get<double>() - 1, 1e-9);
}

TEST_F(Tables, are_read_by_pandas_and_duckdb_without_an_option) {
  if (const auto reason = why_no_python("pandas, duckdb"); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(folder_.file("read.py")) << R"(
import json, sys, pandas, duckdb
for path in sys.argv[1:]:
    frame = pandas.read_json(path) if path.endswith('.json') else pandas.read_csv(path)
    rows = duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0]
    columns = [each[0] for each in duckdb.sql(f"describe select * from '{path}'").fetchall()]
    assert len(frame) == rows > 0, (path, len(frame), rows)
    assert list(frame.columns) == columns, (path, list(frame.columns), columns)
    if path.endswith('.json'):
        expected = json.load(open(path))
        assert len(expected) == rows and list(expected[0]) == columns, path
        for column, value in expected[0].items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                assert frame[column].dtype.kind in 'iuf', (path, column, frame[column].dtype)
print('read')
)";
  std::string files = folder_.file("sweep/results.csv") + " " + folder_.file("links.csv");
  for (const auto& table : tables_) files += " " + written(table);
  const auto result = run("python3 " + folder_.file("read.py") + " " + files);
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace ringmark
