#include "results/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

namespace ringmark {
namespace {

struct Moments {
  double mean = 0, variance_of_mean = 0;
  double freedom;
};

Moments moments_of_logs(const std::vector<double>& values) {
  Moments moments{.freedom = static_cast<double>(values.size()) - 1};
  const auto count = static_cast<double>(values.size());
  for (const double value : values) moments.mean += std::log(value) / count;
  double squares = 0;
  for (const double value : values) squares += std::pow(std::log(value) - moments.mean, 2);
  if (moments.freedom > 0) moments.variance_of_mean = squares / moments.freedom / count;
  return moments;
}

constexpr double many = 2;  // beyond, percents read badly

bool is_told_in_times(double ratio) { return ratio >= many || ratio * many <= 1; }

double percent_less(double ratio) { return 100 * (1 - ratio); }

}  // namespace

std::string difference_words(double ratio) {
  if (is_told_in_times(ratio)) {
    return fmt::format("{:.1f} times {}", std::max(ratio, 1 / ratio), ratio > 1 ? "slower" : "faster");
  }
  const double percent = percent_less(ratio);
  return fmt::format("{:.1f} % {}", std::abs(percent), percent >= 0 ? "faster" : "slower");
}

std::string with_interval(double ratio, Interval interval) {
  const auto [low, high] = interval;
  const auto words = difference_words(ratio);
  if (low <= 1 && high >= 1) return fmt::format("{} ({} to {})", words, difference_words(low), difference_words(high));
  if (is_told_in_times(ratio)) {
    return fmt::format("{} ({:.1f} to {:.1f})", words, ratio > 1 ? low : 1 / high, ratio > 1 ? high : 1 / low);
  }
  const auto a = std::abs(percent_less(low)), b = std::abs(percent_less(high));
  return fmt::format("{} ({:.1f} to {:.1f})", words, std::min(a, b), std::max(a, b));
}

Ratio ratio_of(const std::vector<double>& times, const std::vector<double>& baseline, double confidence) {
  const auto a = moments_of_logs(times), b = moments_of_logs(baseline);
  const double difference = a.mean - b.mean;
  Ratio ratio{std::exp(difference), std::nullopt, std::nullopt};
  if (a.freedom < 1 || b.freedom < 1) return ratio;
  const double variance = a.variance_of_mean + b.variance_of_mean;
  double half_width = 0;
  ratio.p = difference == 0 ? 1 : 0;
  if (variance > 0) {
    const double freedom =
        variance * variance /
        (a.variance_of_mean * a.variance_of_mean / a.freedom + b.variance_of_mean * b.variance_of_mean / b.freedom);
    const boost::math::students_t distribution(freedom);
    half_width = std::sqrt(variance) * boost::math::quantile(distribution, 1 - (1 - confidence) / 2);
    ratio.p = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(difference) / std::sqrt(variance)));
  }
  ratio.interval = {std::exp(difference - half_width), std::exp(difference + half_width)};
  return ratio;
}

bool is_shown_faster(const Ratio& ratio) { return ratio.interval && ratio.interval->high < 1; }

std::string in_words(const Ratio& ratio) {
  if (!ratio.interval) return difference_words(ratio.value) + " (too few launches for an interval)";
  const auto [low, high] = *ratio.interval;
  if (high < 1 || low > 1) return with_interval(ratio.value, *ratio.interval);
  constexpr double says_nothing = 10;
  if (high > says_nothing * low) return "no difference shown (too few launches to tell)";
  return fmt::format("no difference shown ({} to {})", difference_words(low), difference_words(high));
}

}  // namespace ringmark
