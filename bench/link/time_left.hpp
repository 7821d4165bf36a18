// How long a scan still takes, by what its measurements took so far: a message's time is unknown before.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "results/workload.hpp"

namespace ringmark {

/// A test and its size in bytes, of all links of a step at the same time.
using LinkMeasurement = std::pair<LinkTest, std::size_t>;

class TimeLeft {
 public:
  /// So many more measurements come.
  void expect(const LinkMeasurement& measurement, std::size_t count) { kinds_[measurement].left += count; }
  /// None of those comes that were expected.
  void expect_no_more();
  /// One of them is over.
  void took(const LinkMeasurement& measurement, double seconds);

  /// Of the measurements that are expected, each as long as the mean of its kind, or of all while its kind has none.
  double seconds() const;

  /// "# about 40 s left\n" the first time, when that changed by a quarter, and each time that half of it has passed.
  /// Empty otherwise, and for less than two seconds.
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
