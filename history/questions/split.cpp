#include "history/questions/split.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "results/statistics/rank_test.hpp"

namespace ringmark::history {
namespace {

double median_in_place(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double score_of(double level, double middle, double noise) {
  constexpr double most = 3;
  return std::clamp((level - middle) / noise, -most, most);
}

std::vector<double> scores_of(std::span<const double> levels, double noise) {
  std::vector<double> scores(levels.begin(), levels.end());
  const double middle = median_in_place(scores);
  std::transform(levels.begin(), levels.end(), scores.begin(),
                 [&](double level) { return score_of(level, middle, noise); });
  return scores;
}

/// Scores scatter by about 1; less than half of that is luck.
constexpr double least_variance = 0.25;

struct Sums {
  double count = 0, sum = 0, squares = 0;

  void add(double score) {
    ++count;
    sum += score;
    squares += score * score;
  }
  Sums without(const Sums& part) const { return {count - part.count, sum - part.sum, squares - part.squares}; }
  double mean() const { return sum / count; }
  /// Sum of squares around the mean.
  double spread() const { return std::max(0.0, squares - sum * mean()); }
  double variance() const { return count > 1 ? spread() / (count - 1) : 0; }
};

/// The scores of a stretch, on which splits are tried one after the other.
class Splits {
 public:
  explicit Splits(std::vector<double> scores) : scores_(std::move(scores)) {
    for (const double score : scores_) all_.add(score);
  }

  Split strongest(double phi) const {
    const std::size_t last = scores_.size() - least_nights;
    const auto inflations = inflations_up_to(last, phi);
    Split best{least_nights, 0, 1};
    Sums before;
    for (std::size_t first = 1; first <= last; ++first) {
      before.add(scores_[first - 1]);
      if (first < least_nights) continue;
      const double t = t_between(before, inflations[first], inflations[scores_.size() - first]);
      if (std::abs(t) > std::abs(best.t)) best = {first, t, 1};
    }
    return best;
  }

  double t_at(std::size_t first, double phi) const {
    Sums before;
    for (std::size_t i = 0; i < first; ++i) before.add(scores_[i]);
    return t_between(before, inflation(phi, first), inflation(phi, scores_.size() - first));
  }

  /// Autocorrelation of the residuals around the two means. Too low an estimate causes false alarms, and too high a one
  /// only delays true ones, so it is half a standard error above the most likely value. With few scores it is close to
  /// an expected value.
  double autocorrelation(std::size_t first) const {
    constexpr double expected = 0.3, worth = 20, errors = 0.5, most = 0.6;
    Sums before;
    for (std::size_t i = 0; i < first; ++i) before.add(scores_[i]);
    const auto after = all_.without(before);
    const double spread = before.spread() + after.spread();
    if (spread <= 0) return expected;
    double products = 0;
    for (std::size_t i = 1; i < scores_.size(); ++i) {
      if (i == first) continue;
      const double mean = i < first ? before.mean() : after.mean();
      products += (scores_[i] - mean) * (scores_[i - 1] - mean);
    }
    // The means are of the same scores, and each lowers the estimate by about one over the count.
    const double n = all_.count, found = products / spread + 2 / n;
    return std::clamp((n * found + worth * expected) / (n + worth) + errors / std::sqrt(n), 0.0, most);
  }

 private:
  /// inflation() for each count up to `most`, without computing a power for each.
  static std::vector<double> inflations_up_to(std::size_t most, double phi) {
    std::vector<double> found(most + 1, 1);
    double power = 1;
    for (std::size_t count = 1; count <= most; ++count) {
      power *= phi;
      found[count] =
          (1 + phi) / (1 - phi) - 2 * phi * (1 - power) / (static_cast<double>(count) * (1 - phi) * (1 - phi));
    }
    return found;
  }

  double t_between(const Sums& before, double inflation_before, double inflation_after) const {
    const auto after = all_.without(before);
    const double both = std::max(least_variance, (before.spread() + after.spread()) / (all_.count - 2));
    const double variance = variance_of(before, both) * inflation_before / before.count +
                            variance_of(after, both) * inflation_after / after.count;
    return (after.mean() - before.mean()) / std::sqrt(variance);
  }

  /// A side that scatters by two standard deviations more than both together has its own variance. A side that scatters
  /// less does not, because a few levels often happen to be close.
  static double variance_of(const Sums& side, double both) {
    const double own = side.variance();
    return own > both * (1 + 2 * std::sqrt(2 / (side.count - 1))) ? own : both;
  }

  std::vector<double> scores_;
  Sums all_;
};

double two_sided(double t, std::size_t levels) {
  if (levels < 3) return 1;
  return 2 * boost::math::cdf(
                 boost::math::complement(boost::math::students_t(static_cast<double>(levels - 2)), std::abs(t)));
}

}  // namespace

double noise_of(std::span<const double> levels) {
  std::vector<double> differences;
  differences.reserve(levels.size());
  for (std::size_t i = 1; i < levels.size(); ++i) differences.push_back(std::abs(levels[i] - levels[i - 1]));
  return median_in_place(differences) / median_difference;
}

double inflation(double phi, std::size_t count) {
  const auto n = static_cast<double>(count);
  return (1 + phi) / (1 - phi) - 2 * phi * (1 - std::pow(phi, n)) / (n * (1 - phi) * (1 - phi));
}

std::optional<Split> best_split(std::span<const double> levels, double least_noise) {
  if (levels.size() < 2 * least_nights) return std::nullopt;
  const Splits splits(scores_of(levels, std::max(least_noise, noise_of(levels))));
  auto best = splits.strongest(0);
  // Autocorrelation only makes t smaller, so a split that is weak without it needs no second search.
  constexpr double weak = 2.5;
  const double phi = splits.autocorrelation(best.first);
  if (phi > 0 && std::abs(best.t) > weak) best = splits.strongest(phi);
  best.p = two_sided(best.t, levels.size());
  return best;
}

bool may_split(std::span<const double> levels, double middle, double noise, double p) {
  if (levels.size() < 2 * least_nights) return false;
  std::vector<double> scores(levels.size());
  std::transform(levels.begin(), levels.end(), scores.begin(),
                 [&](double level) { return score_of(level, middle, noise); });
  Sums all;
  for (const double score : scores) all.add(score);
  // The sum of squares between the sides is largest where the scores before the split deviate most from the common
  // mean.
  double off = 0, between = 0;
  for (std::size_t first = 1; first + least_nights <= scores.size(); ++first) {
    off += scores[first - 1] - all.mean();
    if (first < least_nights) continue;
    const auto before = static_cast<double>(first);
    between = std::max(between, off * off / (before * (all.count - before)));
  }
  between *= all.count;
  // Autocorrelation and a side that scatters more only make t smaller, and the normal distribution has smaller tails
  // than Student's. The margin is for rounding.
  constexpr double margin = 1 + 1e-6;
  const double both = std::max(least_variance, (all.spread() - between) / (all.count - 2));
  const double least_t = boost::math::quantile(boost::math::complement(boost::math::normal(), p / 2));
  return between * margin >= least_t * least_t * both;
}

Split split_at(std::span<const double> levels, std::size_t first, double least_noise) {
  const Splits splits(scores_of(levels, std::max(least_noise, noise_of(levels))));
  const double t = splits.t_at(first, splits.autocorrelation(first));
  return {first, t, two_sided(t, levels.size())};
}

double rank_p(std::span<const double> levels, std::size_t first) {
  constexpr std::size_t most = 60;  // nights; the exact test is fast for this many
  std::size_t before = first, after = levels.size() - first;
  const std::size_t fewer = std::min(before, after);
  if (fewer <= most / 2) {
    before = std::min(before, most - fewer);
    after = std::min(after, most - fewer);
  }
  const auto part = [&](std::size_t begin, std::size_t count) {
    const auto levels_there = levels.subspan(begin, count);
    return std::vector<double>(levels_there.begin(), levels_there.end());
  };
  const auto left = part(first - before, before), right = part(first, after);
  return mann_whitney_p(left, right);
}

}  // namespace ringmark::history
