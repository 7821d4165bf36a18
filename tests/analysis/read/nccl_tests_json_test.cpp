#include <cstdio>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/files/nccl_tests_sink.hpp"
#include "results/schema/columns.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

TEST(NcclTestsJson, has_a_row_for_each_placement) {
  const auto table = read(R"({"version":3,"args":["./build/reduce_scatter_perf","-b","8"],
    "env":[{"SECRET_TOKEN":"x"}],"nccl_version":22304,"config":{"devices":[{"hostname":"a"},{"hostname":"b"}]},
    "results":[{"size":1024,"count":128,"type":"half","redop":"sum","root":"-1",
      "out_of_place":{"time":10.5,"alg_bw":1,"bus_bw":1,"nwrong":"0"},"in_place":{"time":"nan","nwrong":3}}]})")
                         .table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("collective")[0], "reduce_scatter");
  EXPECT_EQ(table.text("datatype")[0], "float16");
  EXPECT_EQ(table.cell(0, "nodes"), "2");
  EXPECT_EQ(table.figure(0, "time_us_p50"), 10.5);
  EXPECT_EQ(table.text("status")[1], "failed");
}

TEST(NcclTestsJson, of_another_shape_is_refused) {
  constexpr auto nested = R"({"nccl_version":1,"config":{"devices":[{}]},"args":[[["all_reduce"]]],"results":[]})";
  EXPECT_THAT(why_not(nested), HasSubstr("not the JSON of nccl-tests"));
}

TEST(NcclTestsJson, has_a_device_for_each_process_and_documents_may_follow_one_another) {
  const std::string json = R"({"args":["./build/all_reduce_perf"],"nccl_version":22304,
    "config":{"nthreads":1,"ngpus":4,"devices":[{"rank":0,"hostname":"a"},{"rank":4,"hostname":"b"}]},
    "results":[{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1","out_of_place":null,
      "in_place":{"time":50.0,"alg_bw":20.971520,"bus_bw":36.700160,"nwrong":0.0}}]})";
  const auto table = read(json + "\n" + json).table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(0, "ranks"), "8");
  EXPECT_EQ(table.cell(0, "nodes"), "2");
  EXPECT_NE(table.text("run_id")[0], table.text("run_id")[1]);
  EXPECT_THAT(why_not(json.substr(0, json.size() - 20)), HasSubstr("cut off"));
}

/// A run of three ranks on two hosts, with a row of each status but timeout.
struct WrittenRun {
  RunContext context{.run_id = "r.3",
                     .program = "ringmark reduce",
                     .arguments = {"--root", "1"},
                     .ranks = {{"a", "10.0.0.1"}, {"a"}, {"b"}},
                     .path = {Transport::tcp, MemoryKind::host, Network::tcp}};
  std::vector<Record> rows;
  std::string text;

  WrittenRun() {
    const auto add = [&](int in_place, Status status, std::uint64_t wrong) {
      auto row = testing_support::measured("r.3", 12.5 + in_place, std::uint64_t{4096} << (rows.size() / 2), 3);
      row.collective = Collective::reduce;
      row.busbw_GBps = row.algbw_GBps;
      row.nodes = 2;
      row.count = row.size_bytes / 4;
      row.in_place = in_place;
      row.start = Start::window;
      row.algorithm = "tree";
      row.time_us_max = 14;
      row.settings = settings_from({{"root", "1"}});
      row.status = status;
      row.wrong_elements = wrong;
      if (status == Status::ok) row.caveats.emplace_back(PollingOnSharedCores{.ranks = 3, .cores = 2});
      if (status != Status::ok) row.detail = fmt::format("it is {}; so it was", name(status));
      if (status == Status::bypassed) row.network = Network::shm;
      if (status == Status::ignored) row.network = std::nullopt;
      if (status == Status::failed || status == Status::unsupported) {
        row.time_us_p50 = row.time_us_max = row.algbw_GBps = row.busbw_GBps = std::nullopt;
        row.wrong_elements = std::nullopt;
      }
      rows.push_back(row);
    };
    add(0, Status::ok, 0), add(1, Status::ok, 0);
    add(0, Status::wrong, 7), add(1, Status::unsupported, 0);
    add(0, Status::bypassed, 0), add(1, Status::ignored, 0);
    add(0, Status::failed, 0);
    std::FILE* file = std::tmpfile();
    const auto sink = make_nccl_tests_sink(file, {.min_bytes = 4096, .max_bytes = 16384, .step_factor = 2}, true);
    sink->begin(context);
    for (const auto& row : rows) sink->add(row, {});
    sink->finish();
    text = text_in(file);
    std::fclose(file);
  }

  static std::string text_in(std::FILE* file) {
    std::string text;
    std::rewind(file);
    for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    return text;
  }
};

TEST(NcclTestsJson, that_we_write_is_read_back_to_the_same_rows) {
  const WrittenRun run;
  std::vector<ForeignRow> rows;
  const auto table = read(run.text, {.rows = &rows}).table;
  ASSERT_EQ(table.rows(), run.rows.size());
  ASSERT_EQ(rows.size(), run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    EXPECT_TRUE(rows[i].has_run_id);
    for (const auto& column : contract_columns())
      EXPECT_EQ(column.cell(rows[i].record), column.cell(run.rows[i])) << column.name << " of row " << i;
    EXPECT_EQ(table.figure(i, "time_us_p50"), run.rows[i].time_us_p50);
    EXPECT_EQ(table.cell(i, "start"), "window");
  }
}

TEST(NcclTestsJson, of_earlier_versions_has_fewer_of_our_columns) {
  auto json = nlohmann::json::parse(WrittenRun().text);
  for (auto& result : json["results"]) {
    for (auto& placement : result["ringmark"]) {
      if (placement.is_null()) continue;
      placement = {{"status", placement["status"]},
                   {"network", placement.value("network", nlohmann::json())},
                   {"detail", placement.value("detail", "")},
                   {"caveats", placement.value("caveats", "")}};
    }
  }
  const WrittenRun run;
  const auto table = read(json.dump()).table;
  ASSERT_EQ(table.rows(), run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    for (const char* column :
         {"run_id", "transport", "network", "memory", "collective", "datatype", "op", "in_place", "timing", "ranks",
          "nodes", "size_bytes", "count", "wrong_elements", "status", "detail", "caveats"}) {
      EXPECT_EQ(table.cell(i, column), cell_of(run.rows[i], column)) << column << " of row " << i;
    }
    EXPECT_EQ(table.figure(i, "time_us_p50"), run.rows[i].time_us_p50);
    EXPECT_EQ(table.figure(i, "busbw_GBps").has_value(), run.rows[i].busbw_GBps.has_value());
    EXPECT_NEAR(table.figure(i, "busbw_GBps").value_or(0), run.rows[i].busbw_GBps.value_or(0), 1e-9);
  }
}

TEST(NcclTestsJson, that_was_edited_is_refused) {
  const auto after = [](const char* pointer, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(WrittenRun().text);
    json[nlohmann::json::json_pointer(pointer)] = value;
    return why_not(json.dump());
  };
  EXPECT_THAT(after("/results/0/ringmark/out_of_place/time_us_p50", "-5"), HasSubstr("column time_us_p50: '-5'"));
  EXPECT_THAT(after("/results/0/ringmark/out_of_place/status", "fine"), HasSubstr("column status: 'fine'"));
  EXPECT_THAT(after("/results/0/out_of_place/time", 1250.0), HasSubstr("contradicts time_us_p50 12.5"));
}

TEST(NcclTestsJson, of_a_run_that_ends_early_is_a_document_with_what_was_measured) {
  const WrittenRun run;
  for (const auto status : {Status::ok, Status::timeout}) {
    auto last = run.rows.front();
    last.status = status;
    if (status == Status::timeout) last.time_us_p50 = last.algbw_GBps = last.busbw_GBps = std::nullopt;
    std::FILE* file = std::tmpfile();
    auto sink = make_nccl_tests_sink(file, {}, true);
    sink->begin(run.context);
    sink->add(last, {});
    if (status == Status::ok) sink.reset();  // as an exception does
    const auto text = WrittenRun::text_in(file);
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json["results"].size(), 1U);
    EXPECT_EQ(json["errors"].size(), 1U);
    EXPECT_EQ(json["config"]["step_factor"], nullptr) << "the sizes are a list";
    EXPECT_EQ(json["config"]["step_bytes"], nullptr);
    const auto table = read(text).table;
    ASSERT_EQ(table.rows(), 1U);
    EXPECT_EQ(table.cell(0, "status"), name(status));
    sink.reset();
    EXPECT_EQ(WrittenRun::text_in(file), text) << "closed once";
    std::fclose(file);
  }
}

TEST(NcclTestsJson, that_we_write_has_the_keys_of_nccl_tests) {
  const auto json = nlohmann::json::parse(WrittenRun().text);
  const auto keys = [](const nlohmann::json& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.items()) names.insert(name);
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(keys(json), (Names{"version", "start_time", "args", "env", "nccl_version", "ringmark", "config", "results",
                               "out_of_bounds", "average_bus_bandwidth", "errors", "end_time"}));
  EXPECT_EQ(keys(json["config"]), (Names{"nthreads", "ngpus", "minimum_bytes", "maximum_bytes", "step_factor",
                                         "warmup_iters", "iterations", "aggregated_iterations", "validation", "graph",
                                         "blocking_collectives", "parallel_init", "devices"}));
  ASSERT_EQ(json["config"]["devices"].size(), 3U);
  EXPECT_EQ(keys(json["config"]["devices"][0]),
            (Names{"rank", "group", "pid", "hostname", "device", "device_hex", "device_info"}));
  EXPECT_EQ(json["config"]["devices"][2]["hostname"], "b");
  ASSERT_EQ(json["results"].size(), 4U);
  EXPECT_EQ(keys(json["results"][0]), (Names{"size", "count", "type", "redop", "root", "out_of_place", "in_place",
                                             "actual_iterations", "experiment_name", "ringmark"}));
  EXPECT_EQ(keys(json["results"][0]["in_place"]), (Names{"time", "alg_bw", "bus_bw", "nwrong"}));
  EXPECT_EQ(json["results"][0]["type"], "float");
  EXPECT_EQ(json["results"][0]["root"], "     1");
  EXPECT_EQ(json["results"][1]["in_place"], nullptr);
  EXPECT_EQ(json["results"][3]["out_of_place"]["time"], "nan");
  EXPECT_EQ(json["out_of_bounds"], (nlohmann::json{{"count", 7}, {"okay", "false"}}));
  EXPECT_EQ(json["errors"].size(), 5U);
}

}  // namespace
}  // namespace ringmark::analysis
