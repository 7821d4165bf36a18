// The groups of ranks named by --groups, which run an operation concurrently.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/problem.hpp"

namespace ringmark {

/// A dimension of a mesh of ranks; the innermost comes first: tp:8,dp.
struct MeshDimension {
  std::string name;
  std::optional<int> size;  ///< empty: the number of ranks divided by the other dimensions
  bool operator==(const MeshDimension&) const = default;
};
using Mesh = std::vector<MeshDimension>;
/// Ranks of the same color form a group, as with NCCL_TESTS_SPLIT.
struct Coloring {
  enum class Operator { bit_and, bit_or, modulo, divide } op = Operator::bit_and;
  int operand = 0;
  bool operator==(const Coloring&) const = default;
};
/// Explicit ranks; a rank in no group stays idle.
using GroupLists = std::vector<std::vector<int>>;

using GroupChoice = std::variant<Mesh, Coloring, GroupLists>;

/// Groups that run concurrently.
struct GroupKind {
  std::string name;                      ///< "tp"
  std::vector<std::vector<int>> groups;  ///< ranks, ascending; no rank is in two groups

  /// The index of a rank's group; empty if it is in none.
  std::optional<std::size_t> group_of(int rank) const;
  /// "tp0". The kind's own name stands for all of its groups together.
  std::string name_of(std::size_t group) const { return name + std::to_string(group); }
};

constexpr std::string_view allowed_groups =
    "dimensions of a mesh, the innermost first (tp:8,dp), lists of ranks (0-3;4-7), or a color computed from the rank "
    "(mask:0x7, or:7, mod:2, div:8)";

/// Empty if the text is not one of `allowed_groups`.
std::optional<GroupChoice> parse_groups(std::string_view text);

/// Why this many ranks cannot be grouped this way; empty if they can.
std::optional<std::string> why_no_groups(const GroupChoice& choice, int ranks);
/// "0-3,8": ranks in ascending order, the form in which rows name the members of a group.
std::string ranges_of(const std::vector<int>& ranks);
/// One kind for each dimension of a mesh; otherwise a single kind. Kinds are measured one after another.
std::vector<GroupKind> group_kinds(const GroupChoice& choice, int ranks);

}  // namespace ringmark
