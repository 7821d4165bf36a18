#include "analysis/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/fit/fit_limits.hpp"
#include "base/operation.hpp"
#include "tests/analysis/tables.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/explain.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

TEST(Fit, of_a_chain_has_the_rate_of_the_link_and_predicts_other_ranks) {
  constexpr double us_per_byte = 0.01, slice = 128 << 10;
  Table table;
  const auto time_us = [](double size, int ranks) {
    return (ranks - 1) * 50.0 + us_per_byte * size * (1 + (ranks - 2) / (size / slice));
  };
  for (const int ranks : {3, 4}) {
    for (std::uint64_t size = 1 << 20; size <= 16 << 20; size *= 2) {
      auto row = measured("run" + std::to_string(ranks), time_us(static_cast<double>(size), ranks), size, ranks);
      row.collective = Collective::broadcast;
      row.op = {};
      row.algorithm_used = "chain";
      table.add(row, "made", 1);
    }
  }
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  ASSERT_EQ(fit.models.size(), 1U);
  EXPECT_NEAR(fit.models[0].segments.back().beta_us_per_byte, us_per_byte, 0.01 * us_per_byte);
  const double wanted = time_us(8 << 20, 8);
  EXPECT_NEAR(predict(fit.models[0], 8 << 20, 8).value().time_us, wanted, 0.02 * wanted);
}

TEST(Fit, has_models_of_their_own_for_unequal_blocks) {
  Table table;
  for (const std::string counts : {"", "uniform", "skew:1"}) {
    for (const std::uint64_t size : {1U << 20U, 1U << 22U}) {
      auto row = measured("r" + counts, (counts == "skew:1" ? 2e-2 : 1e-2) * static_cast<double>(size), size);
      row.collective = Collective::all_to_all;
      row.op = {};
      row.algorithm_used = "spread";
      row.settings.counts = counts;
      table.add(row, "made", 1);
    }
  }
  std::vector<std::string> notes;
  std::map<std::string, double> betas;
  const auto fit = fit_results(table, all_rows(table), notes);
  ASSERT_EQ(fit.models.size(), 3U);
  for (const auto& model : fit.models) betas[model.settings] = model.segments.back().beta_us_per_byte;
  ASSERT_EQ(betas.size(), fit.models.size()) << "settings tell models apart";
  EXPECT_NEAR(betas.at("counts=uniform"), betas.at(""), 0.02 * betas.at(""));
  EXPECT_NEAR(betas.at("counts=skew:1"), 2 * betas.at(""), 0.02 * betas.at(""));
}

/// A ring's times by alpha and beta, with noise.
Table made(double alpha_us, double beta_us, double noise, std::mt19937_64& random,
           const std::vector<int>& all_ranks = {2, 4}) {
  Table table;
  std::normal_distribution<double> normal;
  for (const int ranks : all_ranks) {
    for (std::uint64_t size = 1024; size <= 16 << 20; size *= 4) {
      const double n = ranks;
      const double time = 2 * (n - 1) * alpha_us + 2 * (n - 1) / n * static_cast<double>(size) * beta_us;
      table.add(measured("run" + std::to_string(ranks), time * std::exp(noise * normal(random)), size, ranks), "made",
                1);
    }
  }
  return table;
}

TEST(Fit, takes_nccls_names_for_what_they_are) {
  for (const auto& [told, steps, share] :
       {std::tuple{"Ring", 14.0, 1.75}, std::tuple{"Tree", 6.0, 2.0}, std::tuple{"NVLS", 0.0, 0.0}}) {
    Table table;
    for (std::uint64_t size = 1024; size <= 1 << 20; size *= 4) {
      auto row = measured("r", steps * 20 + share * static_cast<double>(size) * 1e-3 + 1e-9, size, 8);
      row.transport = Transport::nccl;
      row.algorithm_used = told;
      table.add(row, "f", 1);
    }
    std::vector<std::string> notes;
    const auto fit = fit_results(table, all_rows(table), notes);
    if (steps == 0) {
      EXPECT_EQ(notes.at(0),
                "not fitted: nccl all_reduce float32 sum, 8 ranks by nvls: no schedule of 'nvls' runs on this number "
                "of ranks");
      continue;
    }
    ASSERT_EQ(fit.models.size(), 1U) << told;
    EXPECT_NEAR(fit.models[0].segments[0].alpha_us, 20, 0.01) << told;
    EXPECT_TRUE(check(fit, table, all_rows(table)).at(0).prediction) << told;
  }
}

/// NCCL has no recursive doubling, which would fit a bend of protocols better.
TEST(Fit, takes_only_nccls_own_algorithms_where_a_table_of_nccl_reports_none) {
  constexpr double ranks = 16, GBps = 390;
  Table table;
  for (std::uint64_t size = 8; size <= std::uint64_t{8} << 30; size *= 2) {
    const double ring_us = 30 * 3.9 + 2 * (ranks - 1) / ranks * static_cast<double>(size) / GBps / 1e3;
    const double tree_us =
        38 + 2.4 * static_cast<double>(size) / GBps / 1e3 * (1 + 5e6 / (5e6 + static_cast<double>(size)));
    auto row = measured("r", std::min(ring_us, tree_us), size, 16);
    row.transport = Transport::nccl;
    row.algorithm_used = {};
    row.network = parse_network("ib");
    table.add(row, "f", 1);
  }
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  ASSERT_EQ(fit.models.size(), 1U);
  EXPECT_TRUE(fit.models[0].algorithm == "ring" || fit.models[0].algorithm == "tree") << fit.models[0].algorithm;
  EXPECT_TRUE(fit.models[0].is_assumed);
  EXPECT_NEAR(1e-3 / fit.models[0].segments.back().beta_us_per_byte, GBps, 0.08 * GBps);
}

TEST(Fit, predicts_ranks_that_it_has_not_seen_and_says_so) {
  std::mt19937_64 random(2);
  const auto table = made(20, 1e-3, 0.005, random);
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  const auto prediction = predict(fit.models.at(0), 1 << 20, 16);
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->time_us, 30 * 20 + 30.0 / 16 * (1 << 20) * 1e-3, 0.02 * prediction->time_us);
  ASSERT_EQ(prediction->outside.size(), 1U);
  EXPECT_EQ(prediction->outside[0], "16 ranks (measured: 2, 4)");
  EXPECT_TRUE(predict(fit.models[0], 1 << 20, 4)->outside.empty());
  EXPECT_EQ(predict(fit.models[0], std::uint64_t{1} << 30, 4)->outside.size(), 1U);
  EXPECT_LT(fit.models[0].by_ranks.value().worst_percent, 10);
  EXPECT_LT(fit.models[0].by_size.value().worst_percent, 10);
}

TEST(Fit, is_held_against_results_that_it_has_not_seen) {
  std::mt19937_64 random(5);
  const auto seen = made(20, 1e-3, 0.005, random), unseen = made(20, 1e-3, 0.005, random, {8, 16});
  std::vector<std::string> notes;
  const auto checked = check(fit_results(seen, all_rows(seen), notes), unseen, all_rows(unseen));
  ASSERT_EQ(checked.size(), unseen.rows());
  for (const auto& each : checked) {
    EXPECT_NEAR(each.prediction.value().time_us / each.time_us, 1, 0.05) << each.case_name << " " << each.size_bytes;
    EXPECT_FALSE(each.prediction->outside.empty());
  }
  Table other;
  auto row = measured("r", 10);
  row.transport = Transport::nccl;
  other.add(row, "o", 1);
  EXPECT_FALSE(check(fit_results(seen, all_rows(seen), notes), other, all_rows(other)).at(0).prediction);
}

TEST(Fit, each_network_has_a_model_and_rows_that_cannot_tell_belong_where_there_is_one) {
  Table table;
  for (std::uint64_t size = 1024; size <= 16 << 20; size *= 4) {
    for (const std::string network : {"ib", "roce"}) {
      auto row = measured("run" + network, 120 + static_cast<double>(size) * (network == "ib" ? 1e-3 : 3e-3), size);
      row.network = parse_network(network);
      table.add(row, "made", 1);
    }
    auto mpi = measured("mpi", 240 + static_cast<double>(size) * 1e-3, size);
    mpi.transport = Transport::mpi;
    mpi.network = size < 10000 ? std::nullopt : std::optional<Network>(Network::tcp);
    table.add(mpi, "made", 1);
  }
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  EXPECT_TRUE(notes.empty());
  ASSERT_EQ(fit.models.size(), 3U);
  const auto of = [&](const std::string& network) {
    const auto found =
        std::find_if(fit.models.begin(), fit.models.end(), [&](const auto& m) { return m.network == network; });
    return found == fit.models.end() ? FitModel{} : *found;
  };
  EXPECT_NEAR(of("roce").segments.at(0).beta_us_per_byte / of("ib").segments.at(0).beta_us_per_byte, 3, 0.01);
  EXPECT_EQ(of("tcp").from_bytes, 1024U);
  for (const auto& each : check(fit, table, all_rows(table))) {
    EXPECT_NEAR(each.prediction.value().time_us / each.time_us, 1, 0.01) << each.case_name;
  }
}

TEST(Fit, a_change_of_protocol_makes_two_segments) {
  Table table;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (std::uint64_t size = 1024; size <= 64 << 20; size *= 2) {
    const double s = static_cast<double>(size);
    const double time = size <= 256 << 10 ? 6 * 5 + 1.5 * s * 4e-3 : 6 * 200 + 1.5 * s * 1e-3;
    table.add(measured("run", time * std::exp(0.01 * normal(random)), size, 4), "made", 1);
  }
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  ASSERT_EQ(fit.models.at(0).segments.size(), 2U);
  EXPECT_NEAR(fit.models[0].segments[0].alpha_us, 5, 0.5);
  EXPECT_NEAR(fit.models[0].segments[1].beta_us_per_byte, 1e-3, 5e-5);
}

TEST(Fit, too_few_sizes_for_a_break_are_told) {
  Table table;
  // Up to 128 KiB pass at once; beyond that the link's rate holds.
  for (const auto& [size, time_us] : {std::pair{8U << 10U, 30.0},
                                      {32U << 10U, 60.0},
                                      {128U << 10U, 180.0},
                                      {512U << 10U, 16'100.0},
                                      {2048U << 10U, 82'000.0},
                                      {8192U << 10U, 345'000.0}})
    table.add(measured("run", time_us, size), "made", 1);
  std::vector<std::string> notes;
  ASSERT_EQ(fit_results(table, all_rows(table), notes).models.at(0).segments.size(), 1U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("measure more sizes"), std::string::npos) << notes[0];
}

TEST(Fit, an_outlier_does_not_bend_the_line) {
  std::vector<Point> points;
  for (int i = 1; i <= 12; ++i) points.push_back({6, 1000.0 * i * i, 6 * 10 + 1000.0 * i * i * 1e-2});
  points[5].time_us *= 20;
  const auto line = fit_line(points);
  EXPECT_NEAR(line.alpha_us, 10, 0.5);
  EXPECT_NEAR(line.beta_us_per_byte, 1e-2, 5e-4);
}

TEST(Fit, what_cannot_be_told_apart_is_not_made_up) {
  // One size alone, and times that fall with the size.
  Table one;
  one.add(measured("run", 100), "made", 1);
  std::vector<std::string> notes;
  EXPECT_TRUE(fit_results(one, all_rows(one), notes).models.empty());
  EXPECT_EQ(notes.size(), 1U);
  const auto falling = fit_line({{1, 1000, 100}, {1, 2000, 50}, {1, 4000, 25}});
  EXPECT_GE(falling.alpha_us, 0);
  EXPECT_GE(falling.beta_us_per_byte, 0);
}

TEST(Fit, travels_as_json) {
  std::mt19937_64 random(4);
  const auto table = made(20, 1e-3, 0.03, random);
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  EXPECT_EQ(fit_from_json(to_json(fit)), fit);
}

TEST(Fit, a_rate_above_the_links_is_no_model_where_two_sizes_alone_support_it) {
  const auto fit_of = [](const std::vector<std::pair<std::uint64_t, double>>& times, std::optional<double> link_GBps,
                         std::vector<std::string>& notes) {
    Table table;
    for (const auto& [size, time_us] : times) table.add(measured("run", time_us, size), "made", 1);
    auto fit = fit_results(table, all_rows(table), notes);
    judge_rates(fit, table, all_rows(table), link_GBps, notes);
    return fit;
  };
  // Half again as many bytes on the wire for 1 MiB more: 0.45 GB/s.
  std::vector<std::string> notes, of_more, of_none;
  EXPECT_TRUE(fit_of({{1 << 20, 10'000}, {2 << 20, 13'500}}, 0.125, notes).models.empty());
  EXPECT_THAT(notes, testing::Contains(AllOf(testing::HasSubstr("0.125"), testing::HasSubstr("two sizes"))));
  EXPECT_EQ(fit_of({{1 << 20, 10'000}, {2 << 20, 13'500}, {3 << 20, 17'000}}, 0.125, of_more).models.size(), 1U);
  EXPECT_THAT(of_more, testing::Contains(testing::HasSubstr("doubtful")));
  EXPECT_EQ(fit_of({{1 << 20, 10'000}, {2 << 20, 13'500}}, 1.25, of_none).models.size(), 1U);
  EXPECT_EQ(of_none.size(), 0U);
}

TEST(Fit, says_when_its_rows_were_measured_where_they_tell) {
  Table table;
  for (int i = 0; i < 4; ++i) {
    auto row = measured("r" + std::to_string(i), 100 << i, 1 << (20 + i));
    if (i > 0) row.time_utc = "2026-11-0" + std::to_string(i) + "T10:00:00Z";
    table.add(row, "made", 1);
  }
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  ASSERT_EQ(fit.models.size(), 1U);
  EXPECT_EQ(fit.models[0].first_utc, "2026-11-01T10:00:00Z");
  EXPECT_EQ(fit.models[0].last_utc, "2026-11-03T10:00:00Z");
  EXPECT_EQ(fit.models[0].launches, 4);
}

TEST(Fit, of_rows_that_do_not_know_their_network_is_a_model_without_one) {
  Table table;
  for (int i = 0; i < 4; ++i) {
    auto row = measured("r" + std::to_string(i), 100 << i, 1 << (20 + i));
    row.network = {};
    table.add(row, "made", 1);
  }
  std::vector<std::string> notes;
  const auto fit = fit_results(table, all_rows(table), notes);
  ASSERT_EQ(fit.models.size(), 1U);
  EXPECT_EQ(fit.models[0].network, "");
}

}  // namespace
}  // namespace ringmark::analysis
