#include "replay/generate/megatron/buckets.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay::megatron {
namespace {

/// In elements: with the distributed optimizer, tensors begin and buckets end at multiples of these.
constexpr std::uint64_t tensor_alignment = 64, bucket_alignment = 128, wide_bucket_alignment = 1 << 16;
/// The size of a bucket in elements if none is given: the larger of the first, and the second times the ranks.
constexpr std::uint64_t least_usual_bucket = 40'000'000, usual_bucket_of_rank = 1'000'000;

class Filling {
 public:
  Filling(const Settings& settings, bool is_of_experts, std::uint64_t limit) : settings_(settings), limit_(limit) {
    buffer_.is_of_experts = is_of_experts;
    ranks_ = static_cast<std::uint64_t>(settings.optimizer_shards(is_of_experts));
  }

  /// Returns the bucket's index.
  std::size_t add(const Tensor& tensor) {
    const bool is_alone = tensor.is_shared && settings_.shards_optimizer;
    if (is_alone) close();
    if (!is_open_) buffer_.buckets.emplace_back();
    is_open_ = true;
    auto& bucket = buffer_.buckets.back();
    if (settings_.shards_optimizer) bucket.elements = round_up(bucket.elements, tensor_alignment);
    bucket.elements += tensor.elements;
    ++bucket.tensors;
    const auto index = buffer_.buckets.size() - 1;
    if (is_alone || bucket.elements >= limit_) close();
    return index;
  }

  Buffer finish() {
    close();
    return std::move(buffer_);
  }

 private:
  void close() {
    if (is_open_ && settings_.shards_optimizer)
      buffer_.buckets.back().elements =
          round_up(buffer_.buckets.back().elements,
                   std::lcm(ranks_, settings_.pads_buckets ? wide_bucket_alignment : bucket_alignment));
    is_open_ = false;
  }

  const Settings& settings_;
  std::uint64_t limit_, ranks_ = 1;
  Buffer buffer_;
  bool is_open_ = false;
};

std::uint64_t limit_of(const Settings& settings, std::uint64_t elements_of_stage) {
  if (settings.buckets > 0) return elements_of_stage / static_cast<std::uint64_t>(settings.buckets);
  const auto ranks =
      static_cast<std::uint64_t>(settings.data_parallel()) * static_cast<std::uint64_t>(settings.sizes.context);
  return settings.bucket.value_or(std::max(least_usual_bucket, usual_bucket_of_rank * ranks));
}

}  // namespace

Buffers make_buffers(const Settings& settings, const std::vector<Chunk>& chunks, std::size_t at, bool may_cut) {
  const auto& chunk = chunks[at];
  std::uint64_t elements = 0;
  for (const auto& each : chunks) elements += each.elements();
  Buffers result;
  result.is_joint = at > 0;
  for (const bool is_of_experts : {false, true}) {
    const bool exists = std::any_of(chunk.tensors.begin(), chunk.tensors.end(),
                                    [&](const Tensor& each) { return each.is_expert == is_of_experts; });
    if (!exists) continue;
    const auto limit = may_cut ? limit_of(settings, elements) : UINT64_MAX;
    Filling filling(settings, is_of_experts, limit);
    for (auto tensor = chunk.tensors.rbegin(); tensor != chunk.tensors.rend(); ++tensor) {
      if (tensor->is_expert == is_of_experts)
        result.of_module[tensor->module].emplace_back(result.all.size(), filling.add(*tensor));
    }
    result.all.push_back(filling.finish());
  }
  for (auto& [module, places] : result.of_module) std::reverse(places.begin(), places.end());
  return result;
}

}  // namespace ringmark::replay::megatron
