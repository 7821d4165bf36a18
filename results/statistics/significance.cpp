#include "results/statistics/significance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ringmark {
namespace {

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
    // The next larger one is the smallest of the remaining n - k.
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

}  // namespace ringmark
