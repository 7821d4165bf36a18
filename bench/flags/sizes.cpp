#include "bench/flags/sizes.hpp"

#include <limits>

namespace ringmark {

std::vector<std::size_t> SizePlan::sizes() const {
  if (!list.empty()) return list;
  std::vector<std::size_t> sizes;
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  for (std::size_t size = min_bytes; size <= max_bytes;) {
    sizes.push_back(size);
    if (step_bytes) {
      if (size > most - *step_bytes) break;
      size += *step_bytes;
    } else {
      if (size == 0 || size > most / factor) break;
      size *= factor;
    }
  }
  return sizes;
}

std::size_t count_for(Collective collective, DataType type, int ranks, std::size_t total_bytes) {
  const std::size_t elements = total_bytes / size_bytes(type);
  return has_block_per_rank(collective) ? elements / static_cast<std::size_t>(ranks) : elements;
}

std::optional<std::size_t> first_misfit(const std::vector<std::size_t>& sizes, Collective collective, DataType type) {
  if (has_block_per_rank(collective)) return std::nullopt;
  for (const auto size : sizes) {
    if (size % size_bytes(type) != 0) return size;
  }
  return std::nullopt;
}

}  // namespace ringmark
