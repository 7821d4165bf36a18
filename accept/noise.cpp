#include "accept/noise.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "accept/losses.hpp"
#include "results/statistics.hpp"

namespace ringmark::accept {

std::size_t count_above(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [limit](double value) { return value > limit; }));
}

Noise::Noise(const std::vector<Suspect>& suspects, double slow_from) {
  struct Seen {
    std::vector<double> residuals, above_expectation;
    double rounds = 0, slow_rounds = 0;
  };
  std::map<PartKind, Seen> kinds;
  for (const auto& suspect : suspects) {
    auto& seen = kinds[suspect.part->kind];
    for (const double value : suspect.series) seen.residuals.push_back(value - suspect.level);
    // Faults only ever slow parts, so the faster half shows how healthy ones scatter.
    if (suspect.level < 0) seen.above_expectation.push_back(suspect.level);
    if (suspect.level > slow_from) continue;
    seen.rounds += static_cast<double>(suspect.series.size());
    seen.slow_rounds += static_cast<double>(count_above(suspect.series, slow_from));
  }
  const auto rounds = static_cast<double>(suspects.front().series.size());
  for (const auto& [kind, seen] : kinds) {
    // The residuals from a median of few rounds are too small, and a median scatters more than a mean.
    constexpr double of_a_median = 1.5708;
    const double of_rounds = of_a_median * std::pow(spread(seen.residuals, 0), 2) / (rounds - 1);
    const double prior = std::pow(usual, 2) + of_rounds;
    const auto parts = static_cast<double>(seen.above_expectation.size());
    const double of_parts = parts == 0 ? 0 : std::pow(spread(seen.above_expectation, 0), 2);
    constexpr double efficiency = 0.5;
    const double weight = efficiency * parts;
    const double freedom = usual_freedom + weight;
    scatter_[kind] = {std::sqrt((usual_freedom * prior + weight * of_parts) / freedom), freedom,
                      (seen.slow_rounds + usually_slow * usual_rounds) / (seen.rounds + usual_rounds)};
  }
}

double Noise::margin(PartKind kind, double probability) const {
  const auto& scatter = scatter_.at(kind);
  return scatter.deviation *
         boost::math::quantile(boost::math::complement(boost::math::students_t(scatter.freedom), probability));
}

double Noise::probability_of(PartKind kind, std::size_t slow_rounds, std::size_t rounds) const {
  if (slow_rounds == 0) return 1;
  const boost::math::binomial disturbed(static_cast<double>(rounds), scatter_.at(kind).slow_share);
  return boost::math::cdf(boost::math::complement(disturbed, static_cast<double>(slow_rounds) - 1));
}

}  // namespace ringmark::accept
