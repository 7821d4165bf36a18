#include "results/significance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/binomial.hpp>

namespace ringmark {
namespace {

/// Twice the midrank of each value of `a`, then of `b`, in all of them: whole numbers.
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

/// The share of all ways to choose `chosen` of the ranks whose sum is at least as far from its mean as `sum`.
double exact_p(const std::vector<std::size_t>& ranks, std::size_t chosen, std::size_t sum) {
  const auto total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  // ways[k][s]: so many choices of k ranks have the sum s.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const auto rank : ranks) {
    for (std::size_t k = chosen; k > 0; --k) {
      for (std::size_t s = total; s >= rank; --s) ways[k][s] += ways[k - 1][s - rank];
    }
  }
  // The mean is chosen / n of the total: compare in whole numbers.
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

double normal_p(const Ranks& ranks, double sum, double n, double m) {
  const double count = n + m;
  const double variance = n * m / 12 * (count + 1 - ranks.tie_term / (count * (count - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(sum - n * (count + 1) / 2) - 0.5);
  const boost::math::normal normal;
  return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(normal, distance / std::sqrt(variance))));
}

/// Medians of bootstrap samples, each in constant time: the k-th smallest of n draws from sorted values is the value at
/// n * U, where U is the k-th smallest of n uniform numbers, which is Beta(k, n - k + 1).
class MedianDraws {
 public:
  explicit MedianDraws(std::vector<double> values) : values_(std::move(values)) {
    std::sort(values_.begin(), values_.end());
    const auto n = static_cast<double>(values_.size());
    lower_ = std::floor((n + 1) / 2);
    below_ = std::gamma_distribution<double>(lower_);
    above_ = std::gamma_distribution<double>(n - lower_ + 1);
    beyond_ = std::gamma_distribution<double>(std::max(n - lower_, 1.0));
  }

  double operator()(std::mt19937_64& random) {
    const double first = share(below_(random), above_(random));
    if (values_.size() % 2 == 1) return at(first);
    // The next one above is the smallest of the n - k that lie there.
    const double next = first + (1 - first) * share(one_(random), beyond_(random));
    return (at(first) + at(next)) / 2;
  }

 private:
  /// Gamma(a) / (Gamma(a) + Gamma(b)) is Beta(a, b).
  static double share(double a, double b) { return a / (a + b); }
  double at(double uniform) const {
    const auto index = static_cast<std::size_t>(uniform * static_cast<double>(values_.size()));
    return values_[std::min(index, values_.size() - 1)];
  }

  std::vector<double> values_;
  double lower_;
  std::gamma_distribution<double> below_, above_, beyond_, one_{1};
};

}  // namespace

double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = ranks_of(a, b);
  const auto sum = std::accumulate(ranks.doubled.begin(), ranks.doubled.begin() + static_cast<std::ptrdiff_t>(a.size()),
                                   std::size_t{0});
  if (a.size() + b.size() <= most_exact) return exact_p(ranks.doubled, a.size(), sum);
  return normal_p(ranks, static_cast<double>(sum) / 2, static_cast<double>(a.size()), static_cast<double>(b.size()));
}

double least_mann_whitney_p(std::size_t a, std::size_t b) {
  if (a + b > most_exact) return 0;
  return 2 / boost::math::binomial_coefficient<double>(static_cast<unsigned>(a + b), static_cast<unsigned>(a));
}

BootstrapRatio ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b, double confidence,
                                std::uint64_t seed) {
  constexpr std::size_t draws = 2000;
  std::mt19937_64 random(seed);
  MedianDraws of_a(a), of_b(b);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < draws; ++i) {
    const double numerator = of_a(random);
    ratios.push_back(numerator / of_b(random));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto outside = static_cast<std::size_t>((1 - confidence) / 2 * draws);
  return {Sorted(a).median() / Sorted(b).median(), {ratios[outside], ratios[draws - 1 - outside]}};
}

double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b) {
  auto sorted = b;
  std::sort(sorted.begin(), sorted.end());
  double difference = 0;
  for (const double x : a) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), x);
    difference += static_cast<double>((sorted.end() - last) - (first - sorted.begin()));
  }
  return difference / static_cast<double>(a.size() * b.size());
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
