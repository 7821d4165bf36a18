#include "transports/schedules/moved_bytes.hpp"

#include <algorithm>
#include <cmath>

namespace ringmark {

double slices_of(const Cost& cost, double total_bytes, std::size_t least_bytes) {
  const double chunk = total_bytes / cost.chunks;
  const double worth_it = std::floor(chunk / static_cast<double>(least_bytes));
  return std::max({1.0, std::ceil(chunk / static_cast<double>(usual_slice_bytes)),
                   std::min(worth_it, static_cast<double>(usual_slices))});
}

double moved_bytes(const Cost& cost, double total_bytes, std::size_t least_bytes) {
  if (!cost.overlapped) return cost.share * total_bytes;
  const double overlapped = cost.overlapped->share;
  return total_bytes * (overlapped + (cost.share - overlapped) / slices_of(cost, total_bytes, least_bytes));
}

}  // namespace ringmark
