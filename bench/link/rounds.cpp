#include "bench/link/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace ringmark {
namespace {

/// The circle method: the last place stays, the others move on by one in each round.
LinkStep circle_round(int round, int ranks) {
  const int places = ranks + ranks % 2, moving = places - 1;
  const auto at = [&](int place) { return place == moving ? moving : (place + round) % moving; };
  LinkStep step;
  for (int i = 0; i < places / 2; ++i) {
    const int a = at(i == 0 ? moving : i), b = at(i == 0 ? 0 : moving - i);
    if (a < ranks && b < ranks) step.push_back({std::min(a, b), std::max(a, b)});
  }
  std::sort(step.begin(), step.end(), [](const auto& x, const auto& y) { return x.source < y.source; });
  return step;
}

/// The same on every machine, which std::shuffle is not.
LinkStep random_round(std::mt19937_64& random, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  LinkStep step;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) step.push_back({order[i], order[i + 1]});
  return step;
}

/// A pair of hosts as a pair of ranks on each rail.
LinkStep on_rails(const LinkStep& hosts, int rails) {
  LinkStep step;
  for (const auto& [source, destination] : hosts) {
    for (int rail = 0; rail < rails; ++rail) step.push_back({source * rails + rail, destination * rails + rail});
  }
  return step;
}

}  // namespace

std::vector<LinkStep> plan_rounds(const PairChoice& pairs, int ranks) {
  if (pairs.kind == PairKind::first) return {{{0, 1}}};
  std::mt19937_64 random(pairs.seed);
  std::vector<LinkStep> rounds;
  const bool is_random = pairs.kind == PairKind::random || pairs.kind == PairKind::bisection;
  const int hosts = ranks / pairs.rails;
  for (std::size_t round = 0; round < count_rounds(pairs, ranks); ++round) {
    const auto step = is_random ? random_round(random, hosts) : circle_round(static_cast<int>(round), hosts);
    rounds.push_back(on_rails(step, pairs.rails));
  }
  return rounds;
}

bool are_rails(const std::vector<std::string>& hosts, int rails) {
  const auto block = static_cast<std::size_t>(rails);
  std::set<std::string> seen;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const bool is_first = rank % block == 0;
    if (is_first ? !seen.insert(hosts[rank]).second : hosts[rank] != hosts[rank - 1]) return false;
  }
  return hosts.size() % block == 0;
}

std::vector<LinkStep> steps_of(const PairChoice& pairs, const std::vector<std::string>& ways_out, std::size_t most,
                               const std::vector<int>& leaf_of) {
  std::vector<LinkStep> steps;
  for (auto round : plan_rounds(pairs, static_cast<int>(ways_out.size()))) {
    while (!round.empty()) {
      std::set<std::string> taken;
      std::set<int> taken_leaves;
      LinkStep step, later;
      for (const auto& link : round) {
        const auto &from = ways_out[static_cast<std::size_t>(link.source)],
                   &to = ways_out[static_cast<std::size_t>(link.destination)];
        std::set<int> leaves;
        if (!leaf_of.empty())
          leaves = {leaf_of[static_cast<std::size_t>(link.source)],
                    leaf_of[static_cast<std::size_t>(link.destination)]};
        if (leaves.size() == 1) leaves.clear();  // it uses no uplink
        const bool has_uplinks =
            std::none_of(leaves.begin(), leaves.end(), [&](int leaf) { return taken_leaves.contains(leaf); });
        const bool fits = step.size() < most && !taken.contains(from) && !taken.contains(to) && has_uplinks;
        (fits ? step : later).push_back(link);
        if (!fits) continue;
        taken.insert({from, to});
        taken_leaves.insert(leaves.begin(), leaves.end());
      }
      steps.push_back(step);
      if (pairs.kind != PairKind::first) {
        for (auto& link : step) std::swap(link.source, link.destination);
        steps.push_back(std::move(step));
      }
      round = std::move(later);
    }
  }
  return steps;
}

}  // namespace ringmark
