#include "bench/link/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace ringmark {
namespace {

/// The circle method: the last place stays, the others move by one in each round.
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

/// The same on every machine, unlike std::shuffle.
std::vector<int> random_order(std::mt19937_64& random, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

LinkStep random_round(std::mt19937_64& random, int ranks) {
  const auto order = random_order(random, ranks);
  LinkStep step;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) step.push_back({order[i], order[i + 1]});
  return step;
}

/// Splits the ranks, in random order, into groups of consecutive ones; the first rank of a group is the destination of
/// the others. The groups shift by one place per round until each of their ranks has been a destination; each leftover
/// rank is the destination in a round of its own.
std::vector<LinkStep> incast_rounds(std::mt19937_64& random, int ranks, int senders) {
  const auto order = random_order(random, ranks);
  const int group = senders + 1, groups = ranks / group;
  const auto to_place = [&](int place, LinkStep& step) {
    const auto at = [&](int i) { return order[static_cast<std::size_t>(i % ranks)]; };
    for (int i = 1; i <= senders; ++i) step.push_back({at(place + i), at(place)});
  };
  std::vector<LinkStep> rounds;
  for (int moved = 0; moved < group; ++moved) {
    LinkStep step;
    for (int i = 0; i < groups; ++i) to_place(moved + i * group, step);
    rounds.push_back(std::move(step));
  }
  for (int place = groups * group; place < ranks; ++place) to_place(place, rounds.emplace_back());
  return rounds;
}

/// Expands a pair of hosts to a pair of ranks on each rail.
LinkStep on_rails(const LinkStep& hosts, int rails) {
  LinkStep step;
  for (const auto& links : by_destination(hosts)) {
    for (int rail = 0; rail < rails; ++rail) {
      for (const auto& [source, destination] : links)
        step.push_back({source * rails + rail, destination * rails + rail});
    }
  }
  return step;
}

/// Links that belong in the same step, and the resources that they occupy in it.
struct Unit {
  LinkStep links;
  std::set<std::string> ends;
  std::set<int> leaves;  ///< whose uplinks they pass

  Unit(LinkStep some, const std::vector<std::string>& ways_out, const std::vector<int>& leaf_of)
      : links(std::move(some)) {
    for (const auto& link : links) {
      const auto from = static_cast<std::size_t>(link.source), to = static_cast<std::size_t>(link.destination);
      ends.insert({ways_out[from], ways_out[to]});
      if (!leaf_of.empty() && leaf_of[from] != leaf_of[to]) leaves.insert({leaf_of[from], leaf_of[to]});
    }
  }
};

template <class T>
bool have_common(const std::set<T>& a, const std::set<T>& b) {
  return std::any_of(a.begin(), a.end(), [&](const T& each) { return b.contains(each); });
}

}  // namespace

std::vector<LinkStep> plan_rounds(const PairChoice& pairs, int ranks) {
  if (pairs.kind == PairKind::first) return {{{0, 1}}};
  std::mt19937_64 random(pairs.seed);
  std::vector<LinkStep> rounds;
  const bool is_random = pairs.kind == PairKind::random || pairs.kind == PairKind::bisection;
  const int hosts = ranks / pairs.rails;
  if (pairs.kind == PairKind::incast) {
    rounds = incast_rounds(random, hosts, pairs.senders);
  } else {
    for (std::size_t round = 0; round < count_rounds(pairs, ranks); ++round)
      rounds.push_back(is_random ? random_round(random, hosts) : circle_round(static_cast<int>(round), hosts));
  }
  for (auto& round : rounds) round = on_rails(round, pairs.rails);
  return rounds;
}

std::vector<LinkStep> by_destination(const LinkStep& step) {
  std::vector<LinkStep> groups;
  for (const auto& link : step) {
    if (groups.empty() || groups.back().front().destination != link.destination) groups.emplace_back();
    groups.back().push_back(link);
  }
  return groups;
}

int count_senders(const LinkStep& step, int destination) {
  return static_cast<int>(
      std::count_if(step.begin(), step.end(), [&](const LinkEnds& link) { return link.destination == destination; }));
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
  const bool is_both_ways = pairs.kind != PairKind::first && pairs.kind != PairKind::incast;
  for (const auto& round : plan_rounds(pairs, static_cast<int>(ways_out.size()))) {
    std::vector<Unit> units;
    for (auto& links : by_destination(round)) units.emplace_back(std::move(links), ways_out, leaf_of);
    while (!units.empty()) {
      std::set<std::string> taken;
      std::set<int> taken_leaves;
      LinkStep step;
      std::vector<Unit> later;
      for (auto& unit : units) {
        const bool fits = step.size() + unit.links.size() <= std::max(most, unit.links.size()) &&
                          !have_common(unit.ends, taken) && !have_common(unit.leaves, taken_leaves);
        if (!fits) {
          later.push_back(std::move(unit));
          continue;
        }
        step.insert(step.end(), unit.links.begin(), unit.links.end());
        taken.merge(unit.ends);
        taken_leaves.merge(unit.leaves);
      }
      steps.push_back(step);
      if (is_both_ways) {
        for (auto& link : step) std::swap(link.source, link.destination);
        steps.push_back(std::move(step));
      }
      units = std::move(later);
    }
  }
  return steps;
}

}  // namespace ringmark
