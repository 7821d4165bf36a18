// The block counts named by --counts: a file or a distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringmark {

/// All blocks are equal.
struct UniformCounts {
  bool operator==(const UniformCounts&) const = default;
};
/// Zipf: rank r gets blocks in proportion to 1 / (r + 1)^exponent.
struct SkewedCounts {
  double exponent = 1;
  bool operator==(const SkewedCounts&) const = default;
};
/// Each token of a rank goes to `per_token` of the `experts`, which are spread over the ranks in order. An expert
/// accepts at most `capacity` times its mean share from a rank; the rest is dropped.
struct ExpertCounts {
  int experts = 1, per_token = 1;
  std::uint64_t seed = 0;
  double capacity = 1.25;
  bool operator==(const ExpertCounts&) const = default;
};
/// Each rank sends to this many others, and receives from the same number. In an all_gather or reduce_scatter, this
/// many ranks have a block.
struct SparseCounts {
  int peers = 2;
  bool operator==(const SparseCounts&) const = default;
};
/// All other ranks send to a single rank.
struct IncastCounts {
  int to = 0;
  bool operator==(const IncastCounts&) const = default;
};
/// A random permutation: each rank sends to one other rank and receives from one.
struct PermutedCounts {
  std::uint64_t seed = 0;
  bool operator==(const PermutedCounts&) const = default;
};
/// The counts of a file, in bytes, row by row.
struct CountsFile {
  std::string path;
  std::size_t rows = 0, columns = 0;
  std::vector<std::size_t> bytes;
  bool operator==(const CountsFile&) const = default;
};

using CountsChoice =
    std::variant<UniformCounts, SkewedCounts, ExpertCounts, SparseCounts, IncastCounts, PermutedCounts, CountsFile>;

constexpr std::string_view allowed_counts =
    "a file, uniform, skew:A (A from 0 to 10), experts:E,K,SEED (or experts:E,K,SEED,CAPACITY), sparse (or sparse:K), "
    "incast (or incast:RANK) or permutation:SEED";

/// Reads the file if one is named. Throws BadUsage about the flag `flag`.
CountsChoice read_counts(const std::string& text, const std::string& flag);

/// Numbers of bytes separated by white space or commas, one line per sending rank: the matrix of nccl-tests, or CSV.
/// Lines that begin with # are skipped. Throws BadUsage.
CountsFile read_counts_file(const std::string& path, const std::string& flag);

}  // namespace ringmark
