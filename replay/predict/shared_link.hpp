// One direction of a link in virtual time, shared by messages.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

namespace ringmark::replay {

/// Messages may be added in any order. Each uses the time that those added before it left free, so the link is never
/// idle while there is something to send.
class SharedLink {
 public:
  /// When a message ends that may start at `from_us` and would take `us` on an idle link.
  double end_of(double from_us, double us) const {
    double at_us = from_us;
    for (auto span = first_after(from_us); span != taken_.end() && us > 0; ++span) {
      const double free_us = std::max(0.0, span->first - at_us);
      if (free_us >= us) break;
      us -= free_us;
      at_us = std::max(at_us, span->second);
    }
    return at_us + us;
  }

  /// Occupies all of the link from `from_us` to `to_us`.
  void take(double from_us, double to_us) {
    auto span = first_after(from_us);
    if (span != taken_.end() && span->first < from_us) from_us = span->first;
    while (span != taken_.end() && span->first <= to_us) {
      to_us = std::max(to_us, span->second);
      span = taken_.erase(span);
    }
    taken_[from_us] = to_us;
  }

 private:
  using Spans = std::map<double, double>;  ///< ends by beginnings, disjoint

  Spans::const_iterator first_after(double us) const {
    auto span = taken_.upper_bound(us);
    if (span != taken_.begin() && std::prev(span)->second >= us) --span;
    return span;
  }

  Spans taken_;
};

}  // namespace ringmark::replay
