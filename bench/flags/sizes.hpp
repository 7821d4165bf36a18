// Which sizes a run measures, and the number of elements of each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/operation.hpp"

namespace ringmark {

/// S from `min` to `max`, each the previous size times `factor`, or plus `step` if that is set; or an explicit list.
struct SizePlan {
  std::size_t min_bytes = 8;
  std::size_t max_bytes = 64 << 20;
  std::size_t factor = 2;
  std::optional<std::size_t> step_bytes;
  std::vector<std::size_t> list;

  std::vector<std::size_t> sizes() const;
};

/// `count`, in NCCL's meaning, of an operation whose full buffer is at most `total_bytes`. All ranks' blocks are equal,
/// so reduce_scatter, all_gather and all_to_all round down.
std::size_t count_for(Collective collective, DataType type, int ranks, std::size_t total_bytes);

/// The first size that is not a whole number of elements although nothing rounds it, or empty.
std::optional<std::size_t> first_misfit(const std::vector<std::size_t>& sizes, Collective collective, DataType type);

}  // namespace ringmark
