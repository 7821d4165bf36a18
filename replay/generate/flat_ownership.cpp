#include "replay/generate/flat_ownership.hpp"

#include <algorithm>

#include "replay/generate/frameworks.hpp"

namespace ringmark::replay {
namespace {

/// Orders tensors for round robin: tensor i goes to rank i modulo the number of ranks; the result lists them by rank.
std::vector<int> round_robin_order(const std::vector<int>& group, std::size_t ranks) {
  std::vector<int> result;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = rank; i < group.size(); i += ranks) result.push_back(group[i]);
  }
  return result;
}

}  // namespace

FlatOwnership::FlatOwnership(const Model& model, const StepSettings& settings)
    : groups_(parameter_groups(model, settings)),
      offset_(model.parameters.size()),
      group_of_(model.parameters.size()),
      ranks_(static_cast<std::uint64_t>(settings.ranks)) {
  for (const auto& parameter : model.parameters) elements_.push_back(parameter.elements());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::uint64_t offset = 0;
    for (const int index : settings.round_robin ? round_robin_order(groups_[g], ranks_) : groups_[g]) {
      const auto i = static_cast<std::size_t>(index);
      offset_[i] = offset;
      group_of_[i] = g;
      offset += elements_[i];
    }
    padded_.push_back(round_up(offset, 2 * ranks_));
  }
}

std::vector<FlatOwnership::Slice> FlatOwnership::slices(int parameter) const {
  const auto i = static_cast<std::size_t>(parameter);
  const auto part = padded_[group_of_[i]] / ranks_;
  std::vector<Slice> result;
  for (auto at = offset_[i]; at < offset_[i] + elements_[i];) {
    const auto owner = at / part;
    const auto end = std::min((owner + 1) * part, offset_[i] + elements_[i]);
    result.push_back({static_cast<int>(owner), end - at});
    at = end;
  }
  return result;
}

}  // namespace ringmark::replay
