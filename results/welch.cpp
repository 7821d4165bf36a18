#include "results/welch.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

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

}  // namespace

WelchRatio welch_ratio(const std::vector<double>& values, const std::vector<double>& baseline, double confidence) {
  const auto a = moments_of_logs(values), b = moments_of_logs(baseline);
  const double difference = a.mean - b.mean;
  WelchRatio ratio{std::exp(difference), std::nullopt, std::nullopt};
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

}  // namespace ringmark
