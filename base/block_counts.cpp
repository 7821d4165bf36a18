#include "base/block_counts.hpp"

#include <algorithm>
#include <stdexcept>

namespace ringmark {
namespace {

std::size_t sum_of(const std::vector<std::size_t>& elements) {
  std::size_t sum = 0;
  for (const auto each : elements) {
    if (each > BlockCounts::most_elements - sum) throw std::overflow_error("more elements than can be counted");
    sum += each;
  }
  return sum;
}

}  // namespace

std::shared_ptr<const BlockCounts> BlockCounts::of_pairs(int ranks, const std::vector<std::size_t>& elements) {
  std::shared_ptr<BlockCounts> counts(new BlockCounts(ranks, sum_of(elements)));
  const auto n = static_cast<std::size_t>(ranks);
  auto &sent = counts->sent_, &received = counts->received_;
  sent.reserve(n * (n + 1));
  received.reserve(n * (n + 1));
  for (std::size_t rank = 0; rank < n; ++rank) {
    sent.push_back(0);
    received.push_back(0);
    for (std::size_t peer = 0; peer < n; ++peer) {
      sent.push_back(sent.back() + elements[rank * n + peer]);
      received.push_back(received.back() + elements[peer * n + rank]);
    }
    const std::size_t own = elements[rank * n + rank];
    counts->bound_ = std::max({counts->bound_, sent.back() - own, received.back() - own});
  }
  if (!elements.empty()) counts->longest_ = *std::max_element(elements.begin(), elements.end());
  return counts;
}

std::shared_ptr<const BlockCounts> BlockCounts::of_ranks(const std::vector<std::size_t>& elements) {
  std::shared_ptr<BlockCounts> counts(new BlockCounts(static_cast<int>(elements.size()), sum_of(elements)));
  counts->sent_.push_back(0);
  for (const auto each : elements) counts->sent_.push_back(counts->sent_.back() + each);
  const auto [least, most] = std::minmax_element(elements.begin(), elements.end());
  counts->longest_ = *most;
  counts->bound_ = elements.size() > 1 ? counts->total_ - *least : 0;
  return counts;
}

}  // namespace ringmark
