// The algorithms that `auto` settled on for operations of a run.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string_view>

#include "base/operation.hpp"

namespace ringmark {

/// The aspects of an operation that the fastest algorithm depends on, within one transport and its options.
struct ChoiceKey {
  Collective collective;
  int ranks, nodes;
  std::size_t size_bytes;  ///< largest_buffer_bytes

  auto operator<=>(const ChoiceKey&) const = default;
};

/// The values are names in the catalogue.
using ChosenAlgorithms = std::map<ChoiceKey, std::string_view>;

}  // namespace ringmark
