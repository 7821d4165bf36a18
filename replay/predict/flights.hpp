// The times at which a rank's collectives move bytes.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace ringmark::replay {

class Flights {
 public:
  /// `begin_us` must not precede that of the previous call.
  void add(double begin_us, double end_us) {
    if (!spans_.empty() && begin_us <= spans_.back().second) {
      spans_.back().second = std::max(spans_.back().second, end_us);
    } else {
      spans_.emplace_back(begin_us, end_us);
    }
  }

  double within(double from_us, double to_us) const {
    double sum = 0;
    for (auto span = spans_.rbegin(); span != spans_.rend() && span->second > from_us; ++span)
      sum += std::max(0.0, std::min(span->second, to_us) - std::max(span->first, from_us));
    return sum;
  }

 private:
  std::vector<std::pair<double, double>> spans_;  ///< ascending and disjoint
};

}  // namespace ringmark::replay
