#include "analysis/recommend/recommend.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/recommend/recommended_files.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/where.hpp"
#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using testing::HasSubstr;
using namespace testing_support;

class RecommendTest : public testing::Test {
 protected:
  /// Tree and LL against the default, at two sizes.
  void fill(double small_ratio, double large_ratio) {
    for (int launch = 0; launch < 6; ++launch) {
      for (const std::uint64_t size : {4096, 1 << 20}) {
        const double time = static_cast<double>(size) * (1 + 0.001 * launch);
        auto row = measured("d" + std::to_string(launch), time, size);
        row.transport = Transport::nccl;
        row.extra = {{"NCCL_ALGO", ""}, {"NCCL_PROTO", ""}};
        table_.add(row, "r", 1);
        row.run_id = "t" + std::to_string(launch);
        row.time_us_p50 = time * (size == 4096 ? small_ratio : large_ratio);
        row.extra = {{"NCCL_ALGO", "Tree"}, {"NCCL_PROTO", "LL"}};
        table_.add(row, "r", 1);
      }
    }
    add_configurations(table_);
    recommendation_ = recommend(table_, all_rows(table_), {});
    for (const auto& file : ready_files(recommendation_, table_, scope_of(table_))) files_[file.name] = file.text;
  }

  Table table_;
  Recommendation recommendation_;
  std::map<std::string, std::string> files_;
};

TEST_F(RecommendTest, what_is_faster_everywhere_is_set_with_its_evidence) {
  fill(0.5, 0.8);
  EXPECT_EQ(recommendation_.configuration, "NCCL_ALGO=Tree NCCL_PROTO=LL");
  EXPECT_THAT(files_.at("best.env"), HasSubstr("export NCCL_ALGO=allreduce:Tree\nexport NCCL_PROTO=LL\n"));
  EXPECT_THAT(files_.at("nccl.conf"), HasSubstr("# all_reduce float32 sum, 4 ranks 4K: 2.0 times faster"));
  EXPECT_THAT(files_.at("nccl.conf"), HasSubstr("\nNCCL_ALGO=allreduce:Tree\nNCCL_PROTO=LL\n"));
  EXPECT_EQ(files_.at("nccl_tuner.csv"), "allreduce,0,4611686018427387904,tree,ll,-1,4,4\n");
}

TEST_F(RecommendTest, nothing_is_recommended_on_figures_that_their_rows_doubt) {
  add_mpi_in_doubt(table_);
  add_configurations(table_);
  recommendation_ = recommend(table_, all_rows(table_), "transport=mpi");
  EXPECT_FALSE(recommendation_.row);
  EXPECT_THAT(recommendation_.finding, HasSubstr("4 ranks share 2 cores"));
  EXPECT_TRUE(ready_files(recommendation_, table_, scope_of(table_)).empty());
}

TEST_F(RecommendTest, files_hold_for_what_was_asked_about_and_set_what_it_has_in_common) {
  for (int launch = 0; launch < 6; ++launch) {
    for (const std::uint64_t size : {4096U, 1U << 20U}) {
      for (const std::string protocol : {"", "LL", "Simple"}) {
        for (const std::string algorithm : {"Ring", "Tree"}) {
          auto row = measured(algorithm + protocol + std::to_string(launch), 100 + launch, size);
          // Trees are slow for what is small.
          if (algorithm == "Tree") *row.time_us_p50 *= size == 4096 ? 3 : 0.5;
          row.transport = Transport::nccl;
          row.extra = {{"NCCL_ALGO", algorithm}, {"NCCL_PROTO", protocol}};
          table_.add(row, "r", 1);
        }
      }
    }
  }
  const auto scope = scope_of(table_);
  keep_where(table_, {"size_bytes=1M", "NCCL_PROTO=LL"});
  add_configurations(table_);
  recommendation_ = recommend(table_, all_rows(table_), {});
  EXPECT_EQ(recommendation_.configuration, "NCCL_ALGO=Tree");
  for (const auto& file : ready_files(recommendation_, table_, scope)) files_[file.name] = file.text;
  EXPECT_THAT(files_.at("best.env"), HasSubstr("export NCCL_ALGO=allreduce:Tree\nexport NCCL_PROTO=LL\n"));
  EXPECT_EQ(files_.at("nccl_tuner.csv"), "allreduce,1048576,4611686018427387904,tree,ll,-1,4,4\n");
}

TEST(Recommendation, replayed_steps_of_deepspeed_become_changes_of_its_configuration) {
  Table table;
  for (int launch = 0; launch < 6; ++launch) {
    for (const auto& [stage, time] : {std::pair{"1", 1000.0}, std::pair{"2", 500.0}}) {
      auto row = measured(stage + std::to_string(launch), time + launch);
      row.schema = Schema::replay;
      row.collective = ringmark::TrainingStep{};
      row.extra = {{"zero", stage}};
      table.add(row, "r", 1);
    }
  }
  add_configurations(table);
  const auto recommendation = recommend(table, all_rows(table), {});
  for (const auto& file : ready_files(recommendation, table, scope_of(table))) {
    if (file.name != "ds_config.changes.json") continue;
    EXPECT_THAT(file.text, HasSubstr("\"stage\": 2"));
    EXPECT_THAT(file.text, testing::StartsWith("// set zero=2"));
    return;
  }
  FAIL() << "no ds_config.changes.json: " << recommendation.finding;
}

TEST_F(RecommendTest, what_is_slower_somewhere_is_left_to_the_tuner) {
  fill(0.5, 1.5);
  EXPECT_EQ(recommendation_.configuration, "");
  EXPECT_THAT(recommendation_.finding, HasSubstr("keep the default"));
  EXPECT_FALSE(files_.contains("nccl.conf"));
  EXPECT_EQ(files_.at("nccl_tuner.csv"), "allreduce,0,65536,tree,ll,-1,4,4\n");
}

TEST_F(RecommendTest, what_was_not_measured_everywhere_is_not_recommended) {
  for (int launch = 0; launch < 6; ++launch) {
    auto row = measured("n" + std::to_string(launch), 1000, 4096);
    row.transport = Transport::nccl;
    row.extra = {{"NCCL_ALGO", "NVLS"}};
    table_.add(row, "r", 1);
  }
  fill(0.9, 0.9);
  EXPECT_EQ(recommendation_.configuration, "NCCL_ALGO=Tree NCCL_PROTO=LL");
}

TEST(Recommendation, values_of_a_file_do_not_become_commands) {
  for (const std::string value : {"x; touch y", "x\ntouch y"}) {
    Table table;
    for (int launch = 0; launch < 6; ++launch) {
      table.add(measured("d" + std::to_string(launch), 100 + launch), "r", 1);
      auto row = measured("t" + std::to_string(launch), 50 + launch);
      row.extra = {{"NCCL_ALGO", value}};
      table.add(row, "r", 1);
    }
    add_configurations(table);
    const auto recommendation = recommend(table, all_rows(table), {});
    ASSERT_TRUE(recommendation.row);
    if (value.find(';') == std::string::npos) {
      EXPECT_THROW(ready_files(recommendation, table, scope_of(table)), BadUsage);
    } else {
      EXPECT_THAT(ready_files(recommendation, table, scope_of(table)).at(0).text,
                  HasSubstr("\nexport NCCL_ALGO='allreduce:x; touch y'\n"));
    }
  }
}

/// The recommendation where a second setting is added to one that gains 20 percent.
std::string recommended_where_two_take(double time_of_two_us) {
  Table table;
  const auto add = [&](const std::map<std::string, std::string>& settings, double time_us) {
    for (int launch = 0; launch < 6; ++launch) {
      auto row = measured(std::to_string(table.rows()), time_us * (0.995 + 0.002 * launch));
      row.transport = Transport::nccl;
      row.settings = settings_from(settings);
      table.add(row, "r", 1);
    }
  };
  add({}, 100);
  add({{"NCCL_ALGO", "Ring"}}, 80.5);
  add({{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", "Simple"}}, time_of_two_us);
  add({{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", "Simple"}, {"NCCL_MAX_NCHANNELS", "8"}}, time_of_two_us + 0.1);
  add_configurations(table);
  return recommend(table, all_rows(table), {}).configuration;
}

TEST(Recommendation, has_the_fewest_changes_of_those_as_fast) {
  EXPECT_EQ(recommended_where_two_take(80), "NCCL_ALGO=Ring");
  EXPECT_EQ(recommended_where_two_take(70), "NCCL_ALGO=Ring NCCL_PROTO=Simple");
}

TEST_F(RecommendTest, where_nothing_matters_the_default_stays) {
  fill(1, 1);
  EXPECT_THAT(recommendation_.finding, HasSubstr("nothing was significantly faster"));
  EXPECT_TRUE(files_.empty());
}

}  // namespace
}  // namespace ringmark::analysis
