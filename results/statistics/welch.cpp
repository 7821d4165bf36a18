#include "results/statistics/welch.hpp"

#include <cmath>
#include <limits>

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

/// The standard error of the difference of two means of logarithms, and its degrees of freedom.
struct StandardError {
  double value = 0, freedom = 0;
};

StandardError standard_error(const Moments& a, const Moments& b) {
  const double variance = a.variance_of_mean + b.variance_of_mean;
  if (variance <= 0) return {0, a.freedom + b.freedom};
  return {std::sqrt(variance), variance * variance /
                                   (a.variance_of_mean * a.variance_of_mean / a.freedom +
                                    b.variance_of_mean * b.variance_of_mean / b.freedom)};
}

/// Half the width of the interval with probability 1 - `level`.
double half_width(const StandardError& error, double level) {
  if (error.value <= 0) return 0;
  return error.value * boost::math::quantile(boost::math::students_t(error.freedom), 1 - level / 2);
}

/// Student's: pools the scatter of both sides.
StandardError pooled_error(const Moments& a, const Moments& b) {
  const double freedom = a.freedom + b.freedom, n = a.freedom + 1, m = b.freedom + 1;
  const double squares = a.variance_of_mean * n * a.freedom + b.variance_of_mean * m * b.freedom;
  return {std::sqrt(squares / freedom * (1 / n + 1 / m)), freedom};
}

WelchRatio ratio_with(double difference, const StandardError& error, double confidence) {
  WelchRatio ratio{std::exp(difference), std::nullopt, std::nullopt};
  const double width = half_width(error, 1 - confidence);
  ratio.p = difference == 0 ? 1 : 0;
  if (error.value > 0) {
    const boost::math::students_t distribution(error.freedom);
    ratio.p = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(difference) / error.value));
  }
  ratio.interval = {std::exp(difference - width), std::exp(difference + width)};
  return ratio;
}

WelchRatio ratio_between(const Moments& a, const Moments& b, double confidence) {
  const double difference = a.mean - b.mean;
  if (a.freedom < 1 || b.freedom < 1) return {std::exp(difference), std::nullopt, std::nullopt};
  return ratio_with(difference, standard_error(a, b), confidence);
}

}  // namespace

WelchRatio welch_ratio(const std::vector<double>& values, const std::vector<double>& baseline, double confidence) {
  return ratio_between(moments_of_logs(values), moments_of_logs(baseline), confidence);
}

WelchRatio ratio_of_alike(const std::vector<double>& values, const std::vector<double>& baseline, double confidence) {
  const auto a = moments_of_logs(values), b = moments_of_logs(baseline);
  const double difference = a.mean - b.mean;
  if (a.freedom + b.freedom < 1) return {std::exp(difference), std::nullopt, std::nullopt};
  return ratio_with(difference, pooled_error(a, b), confidence);
}

WelchRatio ratio_to_exact(const std::vector<double>& values, double baseline, double confidence) {
  const Moments exact{.mean = std::log(baseline), .freedom = std::numeric_limits<double>::infinity()};
  return ratio_between(moments_of_logs(values), exact, confidence);
}

}  // namespace ringmark
