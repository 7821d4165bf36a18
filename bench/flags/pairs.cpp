#include "bench/flags/pairs.hpp"

#include <algorithm>

#include "base/option.hpp"

namespace ringmark {

std::optional<PairChoice> parse_pairs(std::string_view text) {
  if (text == "first") return PairChoice{PairKind::first};
  if (text == "all") return PairChoice{PairKind::all};
  if (text == "bisection") return PairChoice{PairKind::bisection};
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto name = text.substr(0, colon);
  if (name != "rounds" && name != "random") return std::nullopt;
  constexpr int most_rounds = 100'000;
  PairChoice pairs{name == "rounds" ? PairKind::rounds : PairKind::random};
  if (!read_number(text.substr(colon + 1), 1, most_rounds, pairs.rounds)) return std::nullopt;
  return pairs;
}

std::size_t count_rounds(const PairChoice& pairs, int ranks) {
  const int hosts = ranks / pairs.rails;
  const int all =
      hosts % 2 == 0 ? hosts - 1 : hosts;  // with an odd number one host rests in each: without rails, one rank
  switch (pairs.kind) {
    case PairKind::all:
      return static_cast<std::size_t>(all);
    case PairKind::rounds:
      return static_cast<std::size_t>(std::min(pairs.rounds, all));
    case PairKind::random:
      return static_cast<std::size_t>(pairs.rounds);
    case PairKind::first:
    case PairKind::bisection:
      break;
  }
  return 1;
}

std::size_t count_links(const PairChoice& pairs, int ranks) {
  if (pairs.kind == PairKind::first) return 1;
  const int hosts = ranks / pairs.rails;
  return count_rounds(pairs, ranks) * static_cast<std::size_t>(hosts / 2 * pairs.rails) * 2;
}

}  // namespace ringmark
