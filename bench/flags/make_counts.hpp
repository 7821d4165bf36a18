// Turns a distribution, or a file, into the block counts of an operation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/operation.hpp"
#include "bench/flags/counts.hpp"

namespace ringmark {

/// In words why so many ranks cannot have these counts in the collective; nothing if they can.
std::optional<std::string> why_no_counts(const CountsChoice& choice, Collective collective, int ranks);

/// A file has sizes of its own. Otherwise S is `total_bytes`, rounded down to as many equal blocks: for an all_to_all
/// each rank sends that much, unless tokens are dropped. Throws BadUsage if why_no_counts has a reason, or if there are
/// too many to count.
std::shared_ptr<const BlockCounts> make_counts(const CountsChoice& choice, Collective collective, DataType type,
                                               int ranks, std::size_t total_bytes);

/// The numbers that the counts follow from, of so many ranks or fewer, and that may differ between hosts: a file's
/// bytes, or weights that the C library computes. Where they are the same, the counts are.
std::vector<std::uint64_t> basis_of(const CountsChoice& choice, int ranks);

/// S of a file, in bytes; nothing of a distribution.
std::optional<std::size_t> own_size(const CountsChoice& choice, Collective collective);

}  // namespace ringmark
