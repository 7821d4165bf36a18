// Ownership in ZeRO 1 and 2: a group's tensors are laid end to end and cut into equal parts, one for each rank.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"

namespace ringmark::replay {

class FlatOwnership {
 public:
  FlatOwnership(const Model& model, const StepSettings& settings);

  struct Slice {
    int owner;
    std::uint64_t elements;
  };
  /// The parts of a tensor, cut where the owner changes.
  std::vector<Slice> slices(int parameter) const;

  /// Elements of each group, padded so that all ranks own the same number.
  const std::vector<std::uint64_t>& padded() const { return padded_; }
  const std::vector<std::vector<int>>& groups() const { return groups_; }

 private:
  std::vector<std::vector<int>> groups_;
  std::vector<std::uint64_t> padded_, offset_, elements_;
  std::vector<std::size_t> group_of_;
  std::uint64_t ranks_;
};

}  // namespace ringmark::replay
