// Order statistics, which assume no distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ringmark {

struct Interval {
  double low, high;

  bool operator==(const Interval&) const = default;
};

/// Values sorted once, for several queries.
class Sorted {
 public:
  explicit Sorted(std::vector<double> values);

  std::size_t size() const { return values_.size(); }
  double min() const { return values_.front(); }
  double max() const { return values_.back(); }
  /// The smallest value is number 0.
  double operator[](std::size_t number) const { return values_[number]; }
  double mean() const;
  /// The mean of the two middle values if the count is even.
  double median() const;
  /// The smallest value that at least `fraction` of the values do not exceed; empty if fewer than one value is expected
  /// above it (p95 needs 20 values, p99 100).
  std::optional<double> tail(double fraction) const;
  /// The order statistics that contain the median with at least 95 % probability, by the binomial distribution (Le
  /// Boudec, "Performance evaluation", 2.2). Needs six values.
  std::optional<Interval> median_interval() const;

 private:
  std::vector<double> values_;
};

/// The median of unsorted values. Needs at least one.
double median(std::vector<double> values);

/// All values must be above 0; the mean of one value is exactly that value.
double geometric_mean(const std::vector<double>& values);

/// Half the width of the median's interval over the median, in percent; empty while there is no interval.
std::optional<double> median_precision_percent(const Sorted& values);

}  // namespace ringmark
