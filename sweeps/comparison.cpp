#include "sweeps/comparison.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

namespace ringmark::sweep {
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

double percent_less(double ratio) { return 100 * (1 - ratio); }

std::string signed_words(double ratio) {
  const double percent = percent_less(ratio);
  return fmt::format("{:.1f} % {}", std::abs(percent), percent >= 0 ? "faster" : "slower");
}

}  // namespace

Ratio ratio_of(const std::vector<double>& times, const std::vector<double>& baseline, double confidence) {
  const auto a = moments_of_logs(times), b = moments_of_logs(baseline);
  const double difference = a.mean - b.mean;
  Ratio ratio{std::exp(difference), std::nullopt};
  if (a.freedom < 1 || b.freedom < 1) return ratio;
  const double variance = a.variance_of_mean + b.variance_of_mean;
  double half_width = 0;
  if (variance > 0) {
    const double freedom =
        variance * variance /
        (a.variance_of_mean * a.variance_of_mean / a.freedom + b.variance_of_mean * b.variance_of_mean / b.freedom);
    const boost::math::students_t distribution(freedom);
    half_width = std::sqrt(variance) * boost::math::quantile(distribution, 1 - (1 - confidence) / 2);
  }
  ratio.interval = {std::exp(difference - half_width), std::exp(difference + half_width)};
  return ratio;
}

bool is_shown_faster(const Ratio& ratio) { return ratio.interval && ratio.interval->high < 1; }

std::string in_words(const Ratio& ratio) {
  if (!ratio.interval) return signed_words(ratio.value) + " (too few launches for an interval)";
  const auto [low, high] = *ratio.interval;
  if (high < 1)
    return fmt::format("{} ({:.1f} to {:.1f})", signed_words(ratio.value), percent_less(high), percent_less(low));
  if (low > 1)
    return fmt::format("{} ({:.1f} to {:.1f})", signed_words(ratio.value), -percent_less(low), -percent_less(high));
  constexpr double says_nothing = 10;
  if (high > says_nothing * low) return "no difference shown (too few launches to tell)";
  return fmt::format("no difference shown ({} to {})", signed_words(low), signed_words(high));
}

}  // namespace ringmark::sweep
