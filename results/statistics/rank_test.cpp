#include "results/statistics/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace ringmark {
namespace {

/// Twice the midrank, and so a whole number, of each value of `a`, then of `b`, among all values.
struct Ranks {
  std::vector<std::size_t> doubled;
  double tie_term = 0;  ///< sum of t^3 - t over groups of t equal values
};

Ranks ranks_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all(a);
  all.insert(all.end(), b.begin(), b.end());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return all[i] < all[j]; });
  Ranks ranks{std::vector<std::size_t>(all.size()), 0};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && all[order[last + 1]] == all[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks.doubled[order[i]] = first + last + 2;
    const auto tied = static_cast<double>(last - first + 1);
    ranks.tie_term += tied * tied * tied - tied;
    first = last + 1;
  }
  return ranks;
}

/// The fraction of all choices of `chosen` ranks whose sum is at least as far from the mean as `sum`.
double exact_p(const std::vector<std::size_t>& ranks, std::size_t chosen, std::size_t sum) {
  const auto total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  // ways[k][s]: the number of choices of k ranks with sum s.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const auto rank : ranks) {
    for (std::size_t k = chosen; k > 0; --k) {
      for (std::size_t s = total; s >= rank; --s) ways[k][s] += ways[k - 1][s - rank];
    }
  }
  // The mean is chosen / n of the total, so compare in whole numbers.
  const auto n = static_cast<double>(ranks.size());
  const auto distance = [&](std::size_t s) {
    return std::abs(static_cast<double>(s) * n - static_cast<double>(total) * static_cast<double>(chosen));
  };
  double extreme = 0, all = 0;
  for (std::size_t s = 0; s <= total; ++s) {
    all += ways[chosen][s];
    if (distance(s) >= distance(sum) - 0.5) extreme += ways[chosen][s];
  }
  return extreme / all;
}

/// The time for an exact p is proportional to the size of the smaller side times the cube of both sides' total.
bool is_exact(std::size_t a, std::size_t b) {
  constexpr double most = 1e7;
  return static_cast<double>(std::min(a, b)) * std::pow(static_cast<double>(a + b), 3) <= most;
}

double normal_p(const Ranks& ranks, double sum, double n, double m) {
  const double count = n + m;
  const double variance = n * m / 12 * (count + 1 - ranks.tie_term / (count * (count - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(sum - n * (count + 1) / 2) - 0.5);
  return std::min(1.0, std::erfc(distance / std::sqrt(2 * variance)));
}

}  // namespace

double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() > b.size()) return mann_whitney_p(b, a);
  const auto ranks = ranks_of(a, b);
  const auto sum = std::accumulate(ranks.doubled.begin(), ranks.doubled.begin() + static_cast<std::ptrdiff_t>(a.size()),
                                   std::size_t{0});
  if (is_exact(a.size(), b.size())) return exact_p(ranks.doubled, a.size(), sum);
  return normal_p(ranks, static_cast<double>(sum) / 2, static_cast<double>(a.size()), static_cast<double>(b.size()));
}

double least_mann_whitney_p(std::size_t a, std::size_t b) {
  const auto n = static_cast<double>(a), m = static_cast<double>(b);
  if (!is_exact(a, b)) return normal_p({}, n * (n + 1) / 2, n, m);
  double choices = 1;
  for (std::size_t i = 1; i <= a; ++i) choices *= (m + static_cast<double>(i)) / static_cast<double>(i);
  return 2 / choices;
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return p_values[i] < p_values[j]; });
  std::vector<double> corrected(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, factor * p_values[order[i]]));
    corrected[order[i]] = largest;
  }
  return corrected;
}

}  // namespace ringmark
