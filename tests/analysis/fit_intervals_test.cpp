#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "analysis/fit/fit.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

/// Launches that differ from each other beside.
struct Launches {
  std::vector<int> ranks;  ///< of each
  double scatter;
};

class Intervals : public testing::TestWithParam<Launches> {};

TEST_P(Intervals, hold_the_truth_as_often_as_they_say) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr double alpha = 20, beta = 1e-3;
  int alpha_held = 0, beta_held = 0, fits = 0;
  for (int i = 0; i < 400; ++i) {
    Table table;
    for (std::size_t launch = 0; launch < GetParam().ranks.size(); ++launch) {
      const double n = GetParam().ranks[launch], factor = std::exp(GetParam().scatter * normal(random));
      for (std::uint64_t size = 1024; size <= 16 << 20; size *= 4) {
        const double time = 2 * (n - 1) * alpha + 2 * (n - 1) / n * static_cast<double>(size) * beta;
        table.add(measured("run" + std::to_string(launch), time * factor * std::exp(0.03 * normal(random)), size,
                           GetParam().ranks[launch]),
                  "made", 1);
      }
    }
    std::vector<std::string> notes;
    const auto fit = fit_results(table, all_rows(table), notes);
    ASSERT_EQ(fit.models.size(), 1U);
    for (const auto& segment : fit.models[0].segments) {
      if (!segment.alpha_us_ci || !segment.beta_us_per_byte_ci) continue;
      ++fits;
      alpha_held += segment.alpha_us_ci->low <= alpha && alpha <= segment.alpha_us_ci->high ? 1 : 0;
      beta_held += segment.beta_us_per_byte_ci->low <= beta && beta <= segment.beta_us_per_byte_ci->high ? 1 : 0;
    }
  }
  // 95 %, within two standard deviations of a count like that.
  EXPECT_GE(alpha_held, 0.95 * fits - 2 * std::sqrt(0.0475 * fits)) << fits;
  EXPECT_GE(beta_held, 0.95 * fits - 2 * std::sqrt(0.0475 * fits)) << fits;
  EXPECT_LE(fits, 420) << "one line is one segment";
  // Where launches are many, intervals are no wider than they need be.
  if (GetParam().ranks.size() < 5) return;
  EXPECT_LE(alpha_held, 0.99 * fits) << fits;
  EXPECT_LE(beta_held, 0.99 * fits) << fits;
}

void PrintTo(const Launches& launches, std::ostream* out) {
  *out << launches.ranks.size() << " launches, scatter " << launches.scatter;
}

INSTANTIATE_TEST_SUITE_P(, Intervals,
                         testing::Values(Launches{{4}, 0}, Launches{{2, 4}, 0}, Launches{{2, 4, 8}, 0.03},
                                         Launches{{4, 4, 4, 4, 4}, 0}, Launches{{2, 4, 8, 8}, 0.03},
                                         Launches{{2, 4, 2, 4, 2, 4}, 0.03}));

}  // namespace
}  // namespace ringmark::analysis
