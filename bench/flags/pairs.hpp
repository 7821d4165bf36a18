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
  int rails = 1;           ///< consecutive ranks per host, one for each NIC; pairs join ranks of the same rail
  int senders = 0;         ///< for incast, to each rank

  bool operator==(const PairChoice&) const = default;
};

constexpr std::string_view allowed_pairs =
    "first, all, rounds:K, random:K, bisection or incast:K, where K is from 1 to 100000";

/// Empty if the text is not one of `allowed_pairs`.
std::optional<PairChoice> parse_pairs(std::string_view text);

/// Why this many ranks cannot be measured this way; empty if they can. `ranks` must be a multiple of the rails.
std::optional<Problem> problem_of(const PairChoice& pairs, int ranks);

/// The number of rounds, and the number of links: both directions of each pair, but only one of `first` and of
/// `incast`. The pairs of a round share no rank; nor do the groups of an incast's round. `ranks` must be a multiple of
/// the rails.
std::size_t count_rounds(const PairChoice& pairs, int ranks);
std::size_t count_links(const PairChoice& pairs, int ranks);

}  // namespace ringmark
