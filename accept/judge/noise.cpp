#include "accept/judge/noise.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/distributions/students_t.hpp>

#include "accept/judge/chance.hpp"
#include "accept/judge/losses.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::accept {

Noise::Noise(const std::vector<Suspect>& suspects, double slow_from) {
  struct Seen {
    std::vector<double> residuals, above_expectation;
    double rounds = 0, slow_rounds = 0;
  };
  std::map<PartKind, Seen> kinds;
  for (const auto& suspect : suspects) {
    auto& seen = kinds[suspect.part->kind];
    for (const double value : suspect.series) seen.residuals.push_back(value - suspect.level);
    // Faults only slow parts down, so the faster half shows how healthy ones scatter.
    if (suspect.level < 0) seen.above_expectation.push_back(suspect.level);
    if (suspect.level > slow_from) continue;
    seen.rounds += static_cast<double>(suspect.series.size());
    seen.slow_rounds += static_cast<double>(count_above(suspect.series, slow_from));
  }
  const auto rounds = static_cast<double>(suspects.front().series.size());
  for (const auto& [kind, seen] : kinds) {
    // Residuals from the median of a few rounds are too small, and a median scatters more than a mean.
    constexpr double of_a_median = std::numbers::pi / 2;
    const double of_rounds = of_a_median * std::pow(spread(seen.residuals, 0), 2) / (rounds - 1);
    const double prior = std::pow(usual_deviation, 2) + of_rounds;
    const auto parts = static_cast<double>(seen.above_expectation.size());
    const double of_parts = parts == 0 ? 0 : std::pow(spread(seen.above_expectation, 0), 2);
    constexpr double efficiency = 0.5;
    const double weight = efficiency * parts;
    const double freedom = usual_freedom + weight;
    scatter_[kind] = {std::sqrt((usual_freedom * prior + weight * of_parts) / freedom), freedom,
                      (seen.slow_rounds + usual_slow_share * usual_rounds) / (seen.rounds + usual_rounds)};
  }
}

double Noise::margin(PartKind kind, double probability) const {
  const auto& scatter = scatter_.at(kind);
  return scatter.deviation *
         boost::math::quantile(boost::math::complement(boost::math::students_t(scatter.freedom), probability));
}

double Noise::probability_of(PartKind kind, std::size_t slow_rounds, std::size_t rounds) const {
  return chance_of_at_least(slow_rounds, rounds, scatter_.at(kind).slow_share);
}

}  // namespace ringmark::accept
