// A model chunk as one rank holds it: the tensors of some layers, in the order in which Megatron registers them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/generate/megatron/settings.hpp"

namespace ringmark::replay::megatron {

struct Tensor {
  std::string module;
  std::uint64_t elements = 0;
  bool is_expert = false;          ///< each rank of an expert group has its own
  bool is_shared = false;          ///< the embedding that first and last stage share
  bool is_summed_over_tp = false;  ///< ranks of a tensor group compute parts of its gradient
};

/// A chunk's place in the model.
struct Place {
  std::uint64_t first_layer = 0, layers = 0;
  bool has_embedding = false, has_head = false;
};

struct Chunk {
  Place place;
  std::vector<Tensor> tensors;

  /// Elements of the tensors whose gradients the ranks of a tensor group add up.
  std::uint64_t summed_over_tp() const;
  std::uint64_t elements() const;
};

/// The places of a stage's chunks.
std::vector<Place> places_of(const Settings& settings, int stage);
Chunk make_chunk(const Settings& settings, const Place& place);

/// "layers.3.": the prefix of a layer's modules.
std::string layer_prefix(std::uint64_t layer);

}  // namespace ringmark::replay::megatron
