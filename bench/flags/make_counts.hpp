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

/// Why this many ranks cannot have these counts in the collective; empty if they can.
std::optional<std::string> why_no_counts(const CountsChoice& choice, Collective collective, int ranks);

/// A file has its own sizes. Otherwise S is `total_bytes`, rounded down to equal blocks: in an all_to_all each rank
/// sends that much, unless tokens are dropped. Throws BadUsage if why_no_counts has a reason, or if there are too many
/// elements to count.
std::shared_ptr<const BlockCounts> make_counts(const CountsChoice& choice, Collective collective, DataType type,
                                               int ranks, std::size_t total_bytes);

/// The numbers that determine the counts for up to this many ranks and that may differ between hosts: a file's bytes,
/// or weights that the C library computes. If they are the same, the counts are too.
std::vector<std::uint64_t> basis_of(const CountsChoice& choice, int ranks);

/// The size S that a file implies, in bytes; empty for a distribution.
std::optional<std::size_t> own_size(const CountsChoice& choice, Collective collective);

}  // namespace ringmark
