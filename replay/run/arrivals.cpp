#include "replay/run/arrivals.hpp"

#include <algorithm>

#include "replay/step/timeline.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::replay {

Arrivals compare_arrivals(std::span<const double> entries_us, int ranks, double clock_error_us) {
  const auto n = static_cast<std::size_t>(ranks);
  Arrivals arrivals{0, std::vector<double>(n)};
  const auto collectives = entries_us.size() / n;
  if (collectives == 0 || n < 2) return arrivals;
  const double noticeable_us = std::max(noticeable_skew_us, clock_error_us);
  std::vector<double> entries(n);
  for (std::size_t i = 0; i < collectives; ++i) {
    for (std::size_t rank = 0; rank < n; ++rank) entries[rank] = entries_us[rank * collectives + i];
    const auto [first, last] = std::minmax_element(entries.begin(), entries.end());
    arrivals.skew_us += (*last - *first) / static_cast<double>(collectives);
    const double middle = Sorted(entries).median();
    for (std::size_t rank = 0; rank < n; ++rank) {
      if (entries[rank] - middle > noticeable_us) arrivals.late_us[rank] += entries[rank] - middle;
    }
  }
  return arrivals;
}

}  // namespace ringmark::replay
