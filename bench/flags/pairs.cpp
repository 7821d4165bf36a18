#include "bench/flags/pairs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark {

std::optional<PairChoice> parse_pairs(std::string_view text) {
  if (text == "first") return PairChoice{PairKind::first};
  if (text == "all") return PairChoice{PairKind::all};
  if (text == "bisection") return PairChoice{PairKind::bisection};
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto name = text.substr(0, colon);
  if (name != "rounds" && name != "random" && name != "incast") return std::nullopt;
  constexpr int most = 100'000;
  PairChoice pairs{name == "rounds" ? PairKind::rounds : name == "random" ? PairKind::random : PairKind::incast};
  auto& number = pairs.kind == PairKind::incast ? pairs.senders : pairs.rounds;
  if (!read_number(text.substr(colon + 1), 1, most, number)) return std::nullopt;
  return pairs;
}

std::optional<Problem> problem_of(const PairChoice& pairs, int ranks) {
  const int others = ranks / pairs.rails - 1;
  if (pairs.kind != PairKind::incast || pairs.senders <= others) return std::nullopt;
  return Problem{
      .flag = "--pairs",
      .value = fmt::format("incast:{}", pairs.senders),
      .text = fmt::format("only {} other ranks can send to each rank", others),
      .remedy = others > 0 ? fmt::format("give incast:{} or less, or start more ranks", others) : "start more ranks"};
}

std::size_t count_rounds(const PairChoice& pairs, int ranks) {
  const int hosts = ranks / pairs.rails;
  const int all =
      hosts % 2 == 0 ? hosts - 1 : hosts;  // an odd number leaves one host (without rails, one rank) idle in each round
  switch (pairs.kind) {
    case PairKind::all:
      return static_cast<std::size_t>(all);
    case PairKind::rounds:
      return static_cast<std::size_t>(std::min(pairs.rounds, all));
    case PairKind::random:
      return static_cast<std::size_t>(pairs.rounds);
    case PairKind::incast: {
      // Each member of a group is the destination once; hosts left over from full groups get their own rounds.
      const int group = pairs.senders + 1;
      return static_cast<std::size_t>(group + hosts % group);
    }
    case PairKind::first:
    case PairKind::bisection:
      break;
  }
  return 1;
}

std::size_t count_links(const PairChoice& pairs, int ranks) {
  if (pairs.kind == PairKind::first) return 1;
  const int hosts = ranks / pairs.rails;
  if (pairs.kind == PairKind::incast) return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(pairs.senders);
  return count_rounds(pairs, ranks) * static_cast<std::size_t>(hosts / 2 * pairs.rails) * 2;
}

}  // namespace ringmark
