// Repeated launches that give each subject a rate, until the subjects can be judged: against an expectation or against
// each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accept/fabric/fabric.hpp"
#include "accept/judge/verdict.hpp"

namespace ringmark::accept {

struct SlowSubject {
  std::size_t subject;
  double ratio;  ///< measured over expected rate
};

class Series {
 public:
  Series(std::vector<std::string> subjects, std::optional<double> expected)
      : fabric_{std::move(subjects), {}}, expected_(expected) {}

  /// One rate for each subject, all above 0.
  void add(const std::vector<double>& rates);
  /// True if more rounds would not change the outcome.
  bool judge(const ErrorRates& rates);

  std::size_t rounds() const { return rounds_.size(); }
  Outcome outcome() const { return verdict_.outcome; }
  double median_rate(std::size_t subject) const;
  /// The rate of the subjects that are not slow, or the given expectation.
  double expected() const { return verdict_.expected_GBps; }
  std::vector<SlowSubject> slow() const;
  const std::vector<std::string>& undecided() const { return verdict_.undecided; }

 private:
  Fabric fabric_;  ///< the subjects as hosts, each with a link to itself
  std::optional<double> expected_;
  std::vector<Round> rounds_;
  Verdict verdict_;
};

}  // namespace ringmark::accept
