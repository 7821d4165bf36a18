// Block counts by chance, of the kinds that go wrong: zeros, a single row or column, one element, one long block.
#pragma once

#include <algorithm>
#include <random>

#include "base/operation.hpp"

namespace ringmark::testing_support {

inline std::vector<std::size_t> random_elements(std::mt19937& chance, std::size_t ranks, std::size_t rows,
                                                std::size_t most) {
  std::vector<std::size_t> elements(ranks * rows);
  const auto some = [&] { return chance() % (most + 1); };
  switch (chance() % 8) {
    case 0:  // nothing at all
      break;
    case 1:  // a single element
      elements[chance() % elements.size()] = 1;
      break;
    case 2: {  // a single row
      const auto row = chance() % rows;
      for (std::size_t i = 0; i < ranks; ++i) elements[row * ranks + i] = some();
      break;
    }
    case 3: {  // a single column
      const auto column = chance() % ranks;
      for (std::size_t row = 0; row < rows; ++row) elements[row * ranks + column] = some();
      break;
    }
    case 4:  // one block much longer than the others
      for (auto& each : elements) each = chance() % 3;
      elements[chance() % elements.size()] = most;
      break;
    case 5:  // most are empty
      for (auto& each : elements) each = chance() % 5 == 0 ? some() : 0;
      break;
    case 6:  // equal
      std::fill(elements.begin(), elements.end(), some());
      break;
    default:
      for (auto& each : elements) each = some();
  }
  return elements;
}

/// An operation on blocks of `least` to `least` + `most` elements, the same for the same state of `chance`.
inline Operation random_unequal(std::mt19937& chance, Collective collective, int ranks, std::size_t most,
                                std::size_t least = 0) {
  const auto n = static_cast<std::size_t>(ranks);
  const bool is_of_pairs = collective == Collective::all_to_all;
  auto elements = random_elements(chance, n, is_of_pairs ? n : 1, most);
  for (auto& each : elements) each += least;
  const auto type = all_datatypes()[chance() % all_datatypes().size()];
  const auto op = all_reduce_ops()[chance() % all_reduce_ops().size()];
  return with_counts(collective, type, op,
                     is_of_pairs ? BlockCounts::of_pairs(ranks, elements) : BlockCounts::of_ranks(elements));
}

}  // namespace ringmark::testing_support
