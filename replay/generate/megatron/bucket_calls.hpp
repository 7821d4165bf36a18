// The calls that gather weights and reduce gradients by bucket, within the passes that need and complete them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/generate/megatron/buckets.hpp"
#include "replay/generate/pass_builder.hpp"

namespace ringmark::replay::megatron {

/// Which communication of weights and gradients a pass contains.
struct Sharing {
  bool gathers = false;  ///< weights are gathered as modules need them
  bool reduces = false;  ///< gradients are reduced as buckets fill
};

/// Adds the bucket calls of one pass over a chunk.
class BucketCalls {
 public:
  /// All arguments except `sharing` must outlive this.
  BucketCalls(const Settings& settings, const Buffers& buffers, Sharing sharing, PassBuilder& pass);

  /// Waits for the module's weights, and starts to gather the next bucket.
  void need(const std::string& module);
  /// Call it when the module's gradients are complete; reduces the buckets that they fill.
  void complete(const std::string& module);

 private:
  void gather(std::size_t buffer, std::size_t bucket);
  std::optional<int> launch_of(std::size_t buffer) const;

  struct State {
    std::optional<int> gather;  ///< the call
    bool is_gathered = false, is_waited_for = false;
    int missing = 0;  ///< tensors without a gradient
  };

  const Settings& settings_;
  const Buffers& buffers_;
  Sharing sharing_;
  PassBuilder& pass_;
  std::vector<std::vector<State>> states_;  ///< by buffer and bucket
};

/// Reduces a bucket, also over the instances of the optimizer.
void reduce(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
            std::optional<int> batch = {});
/// Gathers a bucket's weights. Returns the call; nothing if no other rank has a part.
std::optional<int> gather(PassBuilder& pass, const Settings& settings, const Buffer& buffer, const Bucket& bucket,
                          std::optional<int> batch = {});

}  // namespace ringmark::replay::megatron
