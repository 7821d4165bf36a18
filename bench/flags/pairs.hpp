// The pairs of ranks that ringmark-link measures, as --pairs names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

enum class PairKind {
  first,      ///< from rank 0 to rank 1
  all,        ///< every pair
  rounds,     ///< the first rounds of all
  random,     ///< rounds of random pairs
  bisection,  ///< one round: each rank of a random half with one of the other half
};

struct PairChoice {
  PairKind kind = PairKind::first;
  int rounds = 0;          ///< of rounds and random
  std::uint64_t seed = 1;  ///< of random and bisection
  int rails = 1;           ///< consecutive ranks that are the NICs of a host: pairs join those of one rail

  bool operator==(const PairChoice&) const = default;
};

constexpr std::string_view allowed_pairs = "first, all, rounds:K, random:K or bisection, where K is from 1 to 100000";

/// Nothing if the text is not one of `allowed_pairs`.
std::optional<PairChoice> parse_pairs(std::string_view text);

/// How many rounds of pairs that have no rank in common, and how many links: each pair both ways, `first` one way.
/// `ranks` is a multiple of the rails.
std::size_t count_rounds(const PairChoice& pairs, int ranks);
std::size_t count_links(const PairChoice& pairs, int ranks);

}  // namespace ringmark
