// How long a scan will still take, based on its measurements so far, since a message's time is not known beforehand.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "results/schema/workload.hpp"

namespace ringmark {

/// A test and its size in bytes, of all concurrent links of a step.
using LinkMeasurement = std::pair<LinkTest, std::size_t>;

class TimeLeft {
 public:
  /// This many more measurements are expected.
  void expect(const LinkMeasurement& measurement, std::size_t count) { kinds_[measurement].left += count; }
  /// The measurements still expected will not happen.
  void expect_no_more();
  /// One of them has finished.
  void took(const LinkMeasurement& measurement, double seconds);

  /// For the expected measurements, each as long as the mean of its kind, or of all kinds while its own has none.
  double seconds() const;

  /// "# about 40 s left
  /// " the first time, when the estimate changes by a quarter, and each time half of it has passed. Otherwise empty,
  /// and empty below two seconds.
  std::string announcement();

 private:
  struct Kind {
    std::size_t left = 0, done = 0;
    double took_s = 0;
  };

  std::map<LinkMeasurement, Kind> kinds_;
  double passed_s_ = 0;
  double announced_left_s_ = 0, announced_end_s_ = 0;  ///< 0: not announced yet
};

}  // namespace ringmark
