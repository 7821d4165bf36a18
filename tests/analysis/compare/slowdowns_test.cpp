#include "analysis/compare/slowdowns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/compare/compare_text.hpp"
#include "analysis/compare/gate.hpp"
#include "analysis/fit/fit.hpp"
#include "analysis/report/report.hpp"
#include "analysis/table/column_roles.hpp"
#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::SizeIs;

class Slowdowns : public testing::Test {
 protected:
  using Settings = std::map<std::string, std::string>;
  void add(const std::string& run, const Settings& settings, double time_us, std::uint64_t size = 1 << 20) {
    auto row = measured(run, time_us, size, 2);
    row.settings = settings_from(settings);
    table_.add(row, "r", table_.rows() + 2);
  }
  /// Six launches of 0,2 alone, beside 1,3, and beside 1,3 and 4,5, with the rows of all groups.
  void add_launches(double beside_one = 150, double beside_two = 250) {
    for (int launch = 0; launch < 6; ++launch) {
      const double noise = launch;
      const auto run = [&](const char* side) { return side + std::to_string(launch); };
      const auto add_group = [&](const char* side, const char* groups, const char* beside, double time_us) {
        for (const std::uint64_t size : {1U << 19U, 1U << 20U}) {
          const double us = (time_us + noise) * static_cast<double>(size) / (1U << 20U);
          add(run(side), {{"groups", groups}, {"group", "list0"}, {"members", "0,2"}, {"beside", beside}}, us, size);
          add(run(side), {{"groups", groups}, {"group", "list"}, {"beside", beside}}, 2 * us, size);
        }
      };
      add_group("a", "0,2", "alone", 100);
      add_group("b", "0,2;1,3", "together", beside_one);
      add_group("c", "0,2;1,3;4,5", "together", beside_two);
    }
  }
  CompareResult compared(const std::string& by = "") const { return compare(table_, all_rows(table_), {by, {}}); }

  Table table_;
};

TEST_F(Slowdowns, are_the_first_question_about_groups_and_each_company_has_its_own) {
  add_launches();
  const auto result = compared();
  EXPECT_EQ(result.by, beside_column);
  EXPECT_EQ(result.baseline, alone);
  ASSERT_THAT(result.comparisons, SizeIs(4));  // two companies, two sizes
  EXPECT_TRUE(result.unmatched.empty());
  EXPECT_TRUE(result.best.empty());
  for (const auto& each : result.comparisons) {
    EXPECT_EQ(each.verdict, Verdict::slower);
    EXPECT_FALSE(each.is_by_rounds);
    EXPECT_EQ(table_.cell(each.row, "members"), table_.cell(each.baseline_row, "members"));
    const bool is_large = table_.cell(each.row, "groups") == "0,2;1,3;4,5";
    EXPECT_NEAR(each.ratio, is_large ? 2.46 : 1.49, 0.01);
    ASSERT_TRUE(each.interval);
    EXPECT_GT(each.interval->low, is_large ? 2.3 : 1.4);
  }
  const auto* worst = worst_slowdown(result);
  ASSERT_NE(worst, nullptr);
  EXPECT_EQ(table_.cell(worst->row, "groups"), "0,2;1,3;4,5");
  EXPECT_EQ(worst->size_bytes, 1U << 20U);
  EXPECT_THAT(print(result), HasSubstr("2.4"));
}

TEST_F(Slowdowns, are_not_shown_where_a_group_is_as_fast_as_alone) {
  add_launches(100, 100);
  const auto result = compared();
  ASSERT_THAT(result.comparisons, SizeIs(4));
  for (const auto& each : result.comparisons) {
    EXPECT_EQ(each.verdict, Verdict::no_difference);
    EXPECT_LE(each.interval.value().low, 1);
    EXPECT_GE(each.interval.value().high, 1);
  }
  EXPECT_EQ(worst_slowdown(result), nullptr);
}

TEST_F(Slowdowns, count_rounds_where_one_launch_had_both) {
  for (int round = 0; round < 10; ++round) {
    for (const char* group : {"victim", "load"}) {
      const bool is_victim = std::string(group) == "victim";
      const Settings mine{{"group", group}, {"members", is_victim ? "0,2" : "1,3"}};
      auto alone_row = mine, together_row = mine;
      alone_row["beside"] = "alone", together_row["beside"] = "together";
      add("one", alone_row, 100 + round);
      add("one", together_row, (is_victim ? 300 : 100) + round);
    }
  }
  const auto result = compared();
  ASSERT_THAT(result.comparisons, SizeIs(2));
  for (const auto& each : result.comparisons) {
    EXPECT_TRUE(each.is_by_rounds);
    EXPECT_THAT(each.times_us, SizeIs(10));
    EXPECT_THAT(each.baseline_us, SizeIs(10));
    EXPECT_EQ(each.verdict, table_.cell(each.row, "group") == "victim" ? Verdict::slower : Verdict::no_difference);
  }
  const auto gate = judge(result, 5);
  EXPECT_EQ(gate.outcome(), GateOutcome::undecided) << "of one launch";
  EXPECT_THAT(gate.undecided, SizeIs(2));
}

TEST_F(Slowdowns, are_no_question_without_a_group_that_ran_alone) {
  for (int launch = 0; launch < 2; ++launch) {
    for (const char* members : {"0,1", "2,3"})
      add("r" + std::to_string(launch),
          {{"groups", "tp:2,dp"}, {"group", "tp"}, {"members", members}, {"beside", "together"}}, 100);
  }
  EXPECT_FALSE(has_slowdowns(table_, all_rows(table_)));
  EXPECT_THROW(compared(), BadUsage);
  EXPECT_THROW(compared("beside"), BadUsage);
}

TEST_F(Slowdowns, are_no_question_where_other_ranks_ran_alone) {
  for (int launch = 0; launch < 6; ++launch) {
    for (const auto transport : {Transport::tcp, Transport::mpi}) {
      for (const bool is_alone : {true, false}) {
        auto row = measured("r" + std::to_string(table_.rows()), 100 + launch, 1 << 20, 8);
        row.transport = transport;
        row.settings = settings_from({{"groups", is_alone ? "0-7" : "tp:4,dp"},
                                      {"group", is_alone ? "list0" : "tp0"},
                                      {"members", is_alone ? "0-7" : "0-3"},
                                      {"beside", is_alone ? "alone" : "together"}});
        table_.add(row, "r", table_.rows() + 2);
      }
    }
  }
  EXPECT_FALSE(has_slowdowns(table_, all_rows(table_)));
  const auto result = compared();
  EXPECT_EQ(result.by, "transport");
  EXPECT_THAT(result.comparisons, SizeIs(2));
}

TEST_F(Slowdowns, are_asked_for_by_name_where_a_baseline_or_a_gate_asks_something_else) {
  add_launches();
  auto row = measured("m", 400, 1 << 20, 2);
  row.transport = Transport::mpi;
  row.settings = settings_from({{"groups", "0,2;1,3"}, {"group", "list0"}, {"members", "0,2"}, {"beside", "together"}});
  table_.add(row, "r", table_.rows() + 2);
  EXPECT_EQ(compared().by, beside_column);
  EXPECT_EQ(compare(table_, all_rows(table_), {.baseline = "mpi"}).by, "transport");
  EXPECT_EQ(compare(table_, all_rows(table_), {.slowdowns_first = false}).by, "transport");
}

TEST_F(Slowdowns, do_not_come_between_settings_of_one_group) {
  add_launches();
  const auto tcp_rows = table_.rows();
  for (int launch = 0; launch < 6; ++launch) {
    auto row = measured("m" + std::to_string(launch), 400 + launch, 1 << 20, 2);
    row.transport = Transport::mpi;
    row.settings =
        settings_from({{"groups", "0,2;1,3"}, {"group", "list0"}, {"members", "0,2"}, {"beside", "together"}});
    table_.add(row, "r", tcp_rows + 2);
  }
  const auto result = compared("transport");
  ASSERT_THAT(result.comparisons, SizeIs(1));
  EXPECT_EQ(table_.cell(result.comparisons[0].row, "beside"),
            table_.cell(result.comparisons[0].baseline_row, "beside"));
  EXPECT_EQ(table_.cell(result.comparisons[0].row, "groups"),
            table_.cell(result.comparisons[0].baseline_row, "groups"));
}

TEST_F(Slowdowns, come_first_on_the_page) {
  add_launches();
  add_configurations(table_);
  const auto page = nlohmann::json::parse(report_data({table_, {}, {}, {}, {}}));
  EXPECT_THAT(page["headline"].get<std::string>(), HasSubstr("0,2;1,3;4,5"));
  const auto& rows = page["comparison"]["slowdowns"];
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    EXPECT_LT(row[1].get<double>(), row[0].get<double>());  // the interval is around the ratio
    EXPECT_GT(row[2].get<double>(), row[0].get<double>());
  }
  // Groups alone and beside others are cases of their own, as are all groups of a kind.
  EXPECT_EQ(page["cases"].size(), 6U);
}

TEST_F(Slowdowns, have_models_of_their_own_in_a_fit) {
  add_launches();
  std::vector<std::string> notes;
  const auto fit = fit_results(table_, all_rows(table_), notes);
  std::vector<std::string> settings;
  for (const auto& model : fit.models) settings.push_back(model.settings);
  EXPECT_THAT(settings, testing::UnorderedElementsAre("beside=alone group=list groups=0,2",
                                                      "beside=together group=list groups=0,2;1,3",
                                                      "beside=together group=list groups=0,2;1,3;4,5"));
}

}  // namespace
}  // namespace ringmark::analysis
