#include "bench/mix/fair_share.hpp"

#include <algorithm>
#include <limits>

namespace ringmark::mix {

std::vector<FairShare> fair_shares(const SharedLoad& load) {
  const std::size_t groups = load.bytes.size(), links = load.bytes_per_s.size();
  std::vector<FairShare> shares(groups);
  std::vector<bool> is_done(groups, false);
  std::vector<double> busiest(groups, 0);
  for (std::size_t g = 0; g < groups; ++g) {
    for (const double bytes : load.bytes[g]) busiest[g] = std::max(busiest[g], bytes);
    if (busiest[g] > 0) continue;
    shares[g].operations_per_s = load.alone_per_s[g];
    is_done[g] = true;
  }
  auto left = load.bytes_per_s;
  double level = 0;
  while (std::find(is_done.begin(), is_done.end(), false) != is_done.end()) {
    // The next event: a link is full, or a group is as fast as alone.
    double rise = std::numeric_limits<double>::infinity();
    std::vector<double> weight(links, 0);
    for (std::size_t g = 0; g < groups; ++g) {
      if (is_done[g]) continue;
      rise = std::min(rise, load.alone_per_s[g] * busiest[g] - level);
      for (std::size_t l = 0; l < links; ++l) weight[l] += load.bytes[g][l] / busiest[g];
    }
    for (std::size_t l = 0; l < links; ++l) {
      if (weight[l] > 0) rise = std::min(rise, left[l] / weight[l]);
    }
    rise = std::max(rise, 0.0);
    level += rise;
    for (std::size_t l = 0; l < links; ++l) left[l] -= rise * weight[l];
    for (std::size_t g = 0; g < groups; ++g) {
      if (is_done[g]) continue;
      constexpr double nothing = 1e-9;
      shares[g].operations_per_s = level / busiest[g];
      for (std::size_t l = 0; l < links; ++l) {
        if (load.bytes[g][l] > 0 && left[l] <= nothing * load.bytes_per_s[l]) shares[g].link = l;
      }
      const bool is_as_alone = level >= load.alone_per_s[g] * busiest[g] * (1 - nothing);
      if (is_as_alone) shares[g].link.reset();
      is_done[g] = is_as_alone || shares[g].link.has_value();
    }
  }
  return shares;
}

}  // namespace ringmark::mix
