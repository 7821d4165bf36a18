#include "analysis/compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/compare/compare_text.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/errors.hpp"
#include "results/files/result_file.hpp"
#include "results/schema/columns.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

/// How launches in the lab really scatter: deviations of the logarithm from their setting's mean, scaled to a standard
/// deviation. From the recorded surface of TCP options, four launches of each of 324 settings.
std::vector<double> recorded_noise(double deviation) {
  std::ostringstream text;
  text << std::ifstream(RINGMARK_SOURCE_DIR "/tests/sweeps/tune/tcp_options.csv").rdbuf();
  const auto rows = parse_csv(text.str());
  std::map<std::string, std::vector<double>> settings;
  const auto time = std::find(rows[0].begin(), rows[0].end(), "time_us_p50") - rows[0].begin();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::string setting;
    for (std::size_t c = 4; c < rows[i].size(); ++c) setting += rows[i][c] + " ";  // after run_id, size, time, status
    settings[setting].push_back(std::log(std::stod(rows[i][static_cast<std::size_t>(time)])));
  }
  std::vector<double> noise;
  double squares = 0;
  for (const auto& [setting, logs] : settings) {
    double mean = 0;
    for (const double log : logs) mean += log / static_cast<double>(logs.size());
    for (const double log : logs) noise.push_back(log - mean), squares += (log - mean) * (log - mean);
  }
  const double scale = deviation / std::sqrt(squares / static_cast<double>(noise.size()));
  for (double& each : noise) each *= scale;
  return noise;
}

Verdict verdict_of(double ratio, int launches, const std::vector<double>& noise, std::mt19937_64& random) {
  Table table;
  std::uniform_int_distribution<std::size_t> any(0, noise.size() - 1);
  for (const std::string side : {"a", "b"}) {
    for (int launch = 0; launch < launches; ++launch) {
      const double mean = side == "a" ? 1000 : 1000 * ratio;
      auto row = measured(side + std::to_string(launch), mean * std::exp(noise[any(random)]));
      row.extra["side"] = side;
      table.add(row, "made.csv", 1);
    }
  }
  return compare(table, all_rows(table), {.by = "side", .baseline = {}}).comparisons.at(0).verdict;
}

TEST(Compare, launches_of_one_distribution_are_rarely_called_different) {
  const auto noise = recorded_noise(0.03);
  std::mt19937_64 random(1);
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto verdict = verdict_of(1, 10, noise, random);
    different += verdict == Verdict::faster || verdict == Verdict::slower ? 1 : 0;
  }
  EXPECT_LE(different, 72);
}

TEST(Compare, five_percent_are_found_in_ten_launches) {
  const auto noise = recorded_noise(0.03);
  std::mt19937_64 random(2);
  int found = 0;
  for (int i = 0; i < 500; ++i) found += verdict_of(1.05, 10, noise, random) == Verdict::slower ? 1 : 0;
  EXPECT_GE(found, 450);
}

TEST(Compare, with_three_launches_false_alarms_stay_rare) {
  const auto noise = recorded_noise(0.03);
  std::mt19937_64 random(3);
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto verdict = verdict_of(1, 3, noise, random);
    different += verdict == Verdict::faster || verdict == Verdict::slower ? 1 : 0;
  }
  EXPECT_LE(different, 72);
}

class CompareTables : public testing::Test {
 protected:
  void add(const std::string& run, const std::string& algorithm, double time, std::uint64_t size = 1 << 20,
           const std::string& network = "ib") {
    auto row = measured(run, time, size);
    row.transport = Transport::nccl;
    row.network = parse_network(network);
    row.extra["NCCL_ALGO"] = algorithm;
    table_.add(row, "r.csv", table_.rows() + 2);
  }
  CompareResult result(const CompareOptions& options = {}) const { return compare(table_, all_rows(table_), options); }

  Table table_;
};

TEST_F(CompareTables, finds_the_column_that_varies_and_the_crossover) {
  for (int launch = 0; launch < 6; ++launch) {
    for (const std::uint64_t size : {1024UL, 4096UL, 65536UL, 1048576UL}) {
      const double noise = 1 + 0.001 * launch;
      const auto base = static_cast<double>(size);
      add("d" + std::to_string(launch), "", base * noise, size);
      add("t" + std::to_string(launch), "Tree", base * noise * (size < 10000 ? 0.5 : 1.5), size);
    }
  }
  const auto compared = result();
  EXPECT_EQ(compared.by, "NCCL_ALGO");
  EXPECT_EQ(compared.baseline, "");
  ASSERT_EQ(compared.comparisons.size(), 4U);
  EXPECT_EQ(compared.comparisons[0].verdict, Verdict::faster);
  EXPECT_EQ(compared.comparisons[3].verdict, Verdict::slower);
  EXPECT_TRUE(compared.comparisons[0].by_ranks);
  EXPECT_TRUE(is_slower_than(compared.comparisons[3], 5));
  EXPECT_FALSE(is_slower_than(compared.comparisons[3], 60));
  EXPECT_EQ(best_in_words(compared, compared.best[0].case_name, ""),
            "Tree (up to 4K), (unset) (from 64K, nothing significantly faster)");
  EXPECT_THAT(print(compared), HasSubstr("4 comparisons: 2 faster, 2 slower"));
  EXPECT_EQ(parse_csv(to_csv(compared)).size(), 5U);
  const auto json = nlohmann::json::parse(to_json(compared));
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[0]["schema"], "comparison/1");
  EXPECT_EQ(json[0]["ratio"], compared.comparisons[0].ratio);
  EXPECT_EQ(json[0]["launches"], compared.comparisons[0].times_us.size());
}

TEST_F(CompareTables, refuses_to_compare_different_paths) {
  for (int launch = 0; launch < 4; ++launch) {
    add("a" + std::to_string(launch), "Ring", 100, 1024, "ib");
    add("b" + std::to_string(launch), "Tree", 500, 1024, "tcp");
  }
  const auto compared = result();
  EXPECT_TRUE(compared.comparisons.empty());
  ASSERT_EQ(compared.refused.size(), 1U);
  EXPECT_THAT(compared.refused[0], HasSubstr("NCCL_ALGO=Tree: one used tcp, the other ib"));
  // A question about the network compares the networks; rows of an unknown one are left out.
  add("c", "NVLS", 50, 1024, "");
  const auto by_network = result({.by = "network"});
  EXPECT_EQ(by_network.baseline, "ib");
  EXPECT_EQ(by_network.comparisons.size(), 1U);
  EXPECT_THAT(by_network.refused.at(0), HasSubstr("network is unknown: 1"));
}

TEST_F(CompareTables, rows_in_doubt_are_shown_and_decide_nothing) {
  for (int launch = 0; launch < 6; ++launch) {
    for (const auto transport : {Transport::mpi, Transport::tcp}) {
      const bool is_mpi = transport == Transport::mpi;
      auto row = measured(fmt::format("{}{}", is_mpi ? "m" : "t", launch), (is_mpi ? 4400 : 100) + launch);
      row.transport = transport;
      if (is_mpi) row.caveats.emplace_back(PollingOnSharedCores{.ranks = 4, .cores = 2});
      table_.add(row, "r.csv", 2);
    }
  }
  const auto compared = result({.by = "transport", .baseline = "mpi"});
  ASSERT_EQ(compared.comparisons.size(), 1U);
  EXPECT_EQ(compared.comparisons[0].verdict, Verdict::faster);
  EXPECT_TRUE(compared.comparisons[0].is_doubted());
  EXPECT_FALSE(compared.best.at(0).is_shown);
  EXPECT_TRUE(compared.best[0].is_doubted);
  EXPECT_THAT(print(compared), HasSubstr("in doubt: mpi: 4 ranks share 2 cores"));
}

TEST_F(CompareTables, tells_when_launches_are_too_few) {
  add("a", "Ring", 100);
  add("b", "Tree", 50);
  const auto compared = result();
  EXPECT_EQ(compared.comparisons.at(0).verdict, Verdict::too_few);
  EXPECT_EQ(in_words(compared.comparisons[0]), "too few launches to tell (1 against 1)");
}

TEST_F(CompareTables, rows_that_say_nothing_are_left_out_and_named) {
  add("a", "Ring", 100);
  auto row = measured("b", 50);
  row.status = Status::bypassed;
  row.detail = "the bytes took the loopback";
  table_.add(row, "r.csv", 7);
  row.status = Status::ok;
  row.time_sliced = 1;
  table_.add(row, "r.csv", 8);
  std::vector<std::string> notes;
  EXPECT_EQ(usable_rows(table_, notes).size(), 1U);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], HasSubstr("1 row with 'bypassed' (r.csv:7, all_reduce float32 sum, 4 ranks: the bytes took"));
  EXPECT_THAT(notes[1], HasSubstr("time_sliced"));
}

TEST(CompareFiles, are_held_against_the_first_that_was_given) {
  Table table;
  for (const std::string file : {"before.csv", "after.csv"}) {
    for (int launch = 0; launch < 6; ++launch) {
      table.add(measured(file + std::to_string(launch), (file == "before.csv" ? 100 : 200) + launch), file, 2);
    }
  }
  const auto compared = compare(table, all_rows(table), {.by = "file", .baseline = {}});
  EXPECT_EQ(compared.baseline, "before.csv");
  EXPECT_EQ(compared.comparisons.at(0).verdict, Verdict::slower);
}

TEST_F(CompareTables, an_option_that_the_baseline_cannot_have_is_not_matched_on) {
  for (int launch = 0; launch < 6; ++launch) {
    auto row = measured("m" + std::to_string(launch), 100 + launch);
    row.transport = Transport::mpi;
    table_.add(row, "r", 1);
    for (const std::string sockets : {"1", "4"}) {
      row = measured("t" + sockets + std::to_string(launch), (sockets == "1" ? 200 : 50) + launch);
      row.settings = settings_from({{"tcp.sockets", sockets}});
      table_.add(row, "r", 1);
    }
  }
  const auto compared = result();
  ASSERT_EQ(compared.comparisons.size(), 2U);
  EXPECT_EQ(compared.comparisons[0].setting, "tcp.sockets=1");
  EXPECT_EQ(compared.comparisons[0].verdict, Verdict::slower);
  EXPECT_EQ(compared.comparisons[1].verdict, Verdict::faster);
}

TEST_F(CompareTables, ranks_on_one_node_are_another_thing_than_ranks_on_many) {
  auto row = measured("a", 100);
  table_.add(row, "r", 1);
  row.nodes = 1;
  table_.add(row, "r", 1);
  EXPECT_EQ(case_of(table_, 0), "all_reduce float32 sum, 4 ranks");
  EXPECT_EQ(case_of(table_, 1), "all_reduce float32 sum, 4 ranks on 1 node");
}

TEST_F(CompareTables, wrong_questions_are_answered_with_what_there_is) {
  add("a", "Ring", 100);
  add("b", "Tree", 100);
  EXPECT_THROW(result({.by = "NCCL_ALGOS", .baseline = {}}), BadUsage);
  EXPECT_THROW(result({.by = "NCCL_ALGO", .baseline = "NVLS"}), BadUsage);
  EXPECT_THROW(result({.by = "transport", .baseline = {}}), BadUsage);
  EXPECT_THROW(compare(table_, {}, {}), BadUsage);
}

/// The other figures of a step are no settings; otherwise each row would be a setting of its own.
TEST(Compare, holds_training_steps_against_each_other) {
  std::vector<std::vector<std::string>> lines{record_header(own_header(Schema::replay))};
  for (int launch = 0; launch < 6; ++launch) {
    for (const int stage : {1, 2}) {
      auto row = measured(fmt::format("r.{}{}", launch, stage), (stage == 1 ? 100.0 : 150.0) + launch % 3, 1024);
      row.schema = Schema::replay;
      row.collective = ringmark::TrainingStep{};
      row.step = StepResult{.model = "m", .zero_stage = stage, .exposed_us = launch, .waited_for = launch % 2};
      lines.push_back(to_csv(row, own_header(Schema::replay)));
    }
  }
  std::string text;
  for (const auto& line : lines) text += write_csv(line);
  Results results;
  read_text(results, "steps.csv", text, {});
  std::vector<std::string> notes;
  CompareOptions options;
  options.by = "zero_stage";
  const auto result = compare(results.table, usable_rows(results.table, notes), options);
  ASSERT_EQ(result.comparisons.size(), 1U);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::slower);
}

TEST(Compare, is_with_what_a_sweep_calls_its_default) {
  Table table;
  for (int launch = 0; launch < 6; ++launch) {
    for (const char* transport : {"mpi", "tcp"}) {
      auto row = measured(fmt::format("{}{}", transport, launch), 100 + launch);
      row.transport = parse_transport(transport);
      table.add(row, "f", table.rows() + 2);
    }
  }
  add_configurations(table);
  EXPECT_EQ(compare(table, all_rows(table), {.by = "transport"}).baseline, "mpi") << "the first in order";
  table.set_default("transport", "tcp");
  add_configurations(table);
  EXPECT_EQ(compare(table, all_rows(table), {.by = "transport"}).baseline, "tcp");
  EXPECT_EQ(compare(table, all_rows(table), {.by = configuration_column}).baseline, "transport=tcp");
  table.set_default("transport", "mpi");
  EXPECT_EQ(compare(table, all_rows(table), {.by = "transport"}).baseline, "mpi") << "two sweeps that differ in it";
}

}  // namespace
}  // namespace ringmark::analysis
