// Estimates how much longer a scan will take, based on its measurements so far.
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

  /// The estimate: each expected measurement takes the mean time of its kind or, if none of its kind is done, of all.
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
