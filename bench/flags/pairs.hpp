// The pairs of ranks that ringmark-link measures, as --pairs names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace ringmark {

enum class PairKind {
  first,      ///< from rank 0 to rank 1
  all,        ///< every pair
  rounds,     ///< the first K rounds of `all`
  random,     ///< K rounds of random pairs
  bisection,  ///< one round: each rank of a random half with one of the other half
  incast,     ///< several ranks to one concurrently, each rank in turn
};

struct PairChoice {
  PairKind kind = PairKind::first;
  int rounds = 0;          ///< for rounds and random
  std::uint64_t seed = 1;  ///< for random, bisection and incast
  int rails = 1;           ///< consecutive ranks that are the NICs of a host; pairs join ranks of the same rail
  int senders = 0;         ///< for incast, to each rank

  bool operator==(const PairChoice&) const = default;
};

constexpr std::string_view allowed_pairs =
    "first, all, rounds:K, random:K, bisection or incast:K, where K is from 1 to 100000";

/// Empty if the text is not one of `allowed_pairs`.
std::optional<PairChoice> parse_pairs(std::string_view text);

/// Why this many ranks cannot be measured this way; empty if they can. `ranks` must be a multiple of the rails.
std::optional<Problem> problem_of(const PairChoice& pairs, int ranks);

/// How many rounds of pairs that share no rank, and how many links: each pair in both directions, `first` in one. A
/// round of `incast` has groups that share no rank. `ranks` must be a multiple of the rails.
std::size_t count_rounds(const PairChoice& pairs, int ranks);
std::size_t count_links(const PairChoice& pairs, int ranks);

}  // namespace ringmark
