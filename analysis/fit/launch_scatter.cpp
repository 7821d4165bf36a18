#include "analysis/fit/launch_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace ringmark::analysis {
namespace {

/// Ranks and run_id: a user may give launches with different numbers of ranks the same run_id.
using Launch = std::pair<int, std::uint32_t>;

/// The line fitted without one launch; nothing if the other launches do not determine one.
std::optional<Line> line_without(const Observations& some, const Launch& launch) {
  std::vector<Point> points;
  std::set<std::uint64_t> sizes;
  for (const auto& each : some) {
    double logs = 0;
    int left = 0;
    for (const auto& [id, time_us] : each.launches) {
      if (Launch(each.ranks, id) != launch) logs += std::log(time_us), ++left;
    }
    if (left == 0) continue;
    points.push_back({each.point.steps, each.point.bytes, std::exp(logs / left)});
    sizes.insert(each.size_bytes);
  }
  return sizes.size() < 2 ? std::nullopt : std::optional(fit_line(points));
}

/// True if residuals differ between launches by more than the scatter within launches explains (F test).
bool are_shown_to_differ(const Observations& some, const Line& line) {
  constexpr double level = 0.2;  // missing a difference is worse than a false alarm
  struct Residuals {
    double sum = 0, squares = 0;
    int points = 0;
  };
  std::map<Launch, Residuals> launches;
  double sum = 0, points = 0;
  for (const auto& each : some) {
    for (const auto& [id, time_us] : each.launches) {
      const double residual = std::log(time_us / line.predict(each.point));
      auto& launch = launches[{each.ranks, id}];
      launch.sum += residual;
      launch.squares += residual * residual;
      ++launch.points;
      sum += residual;
      ++points;
    }
  }
  double between = 0, within = 0;
  for (const auto& [id, launch] : launches) {
    const double mean = launch.sum / launch.points, off = mean - sum / points;
    between += launch.points * off * off;
    within += launch.squares - launch.points * mean * mean;
  }
  const double first = static_cast<double>(launches.size()) - 1, second = points - first - 1;
  if (second < 1 || within <= 0) return between > 0;
  const boost::math::fisher_f distribution(first, second);
  return boost::math::cdf(boost::math::complement(distribution, between / first / (within / second))) < level;
}

}  // namespace

void hold_launches(const Observations& some, Line& line) {
  std::set<Launch> launches;
  for (const auto& each : some) {
    for (const auto& [id, time_us] : each.launches) {
      launches.emplace(each.ranks, id);
    }
  }
  constexpr std::size_t always = 3;
  if (launches.size() < 2 || !line.alpha_ci) return;
  if (launches.size() < always && !are_shown_to_differ(some, line)) return;
  std::vector<double> alphas, betas;
  for (const auto& launch : launches) {
    const auto without = line_without(some, launch);
    if (!without) return;
    alphas.push_back(without->alpha_us);
    betas.push_back(without->beta_us_per_byte);
  }
  const auto n = static_cast<double>(launches.size());
  // If each number of ranks has several launches, each loses a degree of freedom to its own mean.
  std::map<int, int> by_ranks;
  for (const auto& [ranks, id] : launches) ++by_ranks[ranks];
  const bool all_repeat =
      std::all_of(by_ranks.begin(), by_ranks.end(), [](const auto& each) { return each.second > 1; });
  const auto freedom = launches.size() - (all_repeat ? by_ranks.size() : 1);
  const double factor = boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), 0.975);
  const auto around = [&](double value, const std::vector<double>& values) {
    const double mean = Sorted(values).mean();
    double squares = 0;
    for (const double each : values) squares += (each - mean) * (each - mean);
    const double width = factor * std::sqrt(squares * (n - 1) / n);
    return Interval{std::max(0.0, value - width), value + width};
  };
  line.alpha_ci = around(line.alpha_us, alphas);
  line.beta_ci = around(line.beta_us_per_byte, betas);
}

}  // namespace ringmark::analysis
