#include "accept/judge/sometimes.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "accept/judge/chance.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

/// Counts of slow measurements and of all.
struct Tally {
  std::size_t slow = 0, all = 0;
  std::vector<std::size_t> pairs{};

  void add(std::size_t pair, const Losses& losses, double loss) {
    pairs.push_back(pair);
    for (std::size_t round = 0; round < losses.rounds(); ++round) {
      ++all;
      slow += losses.at(pair, round) > loss ? 1 : 0;
    }
  }
  /// The share of slow measurements, shrunk towards the usual share where little was measured.
  double share() const {
    constexpr double usual = 0.01, worth = 20;
    return (static_cast<double>(slow) + usual * worth) / (static_cast<double>(all) + worth);
  }
};

/// A culprit's share exceeds the usual one by at least this fraction of the share of one spine.
constexpr double least_part_of_a_spine = 0.4;

class Finder {
 public:
  Finder(const Fabric& fabric, double false_alarm)
      : fabric_(fabric), false_alarm_(false_alarm), leaves_(fabric.leaves.size()) {}

  void count(const Round& pairs, const Losses& losses, const std::vector<bool>& is_explained, double loss) {
    std::vector<std::optional<std::size_t>> leaf_of(fabric_.hosts.size() * fabric_.rails);
    for (std::size_t end = 0; end < leaf_of.size(); ++end) leaf_of[end] = fabric_.leaf_of_end(end);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      if (is_explained[pair]) continue;
      const auto from = leaf_of[pairs[pair].from], to = leaf_of[pairs[pair].to];
      if (!from || !to) continue;
      if (from == to) {
        inside_.add(pair, losses, loss);
        continue;
      }
      across_.add(pair, losses, loss);
      leaves_[*from].add(pair, losses, loss);
      leaves_[*to].add(pair, losses, loss);
    }
  }

  std::vector<SometimesSlow> find() const {
    std::vector<SometimesSlow> found;
    // With two leaves, everything that leaves one enters the other.
    if (leaves_.size() > 2) add_leaves(found, false_alarm_);
    if (found.empty()) add_spine(found);
    // Some path is certainly slow; which leaf it belongs to may be less certain.
    constexpr double likely = 0.01;
    std::vector<SometimesSlow> of_leaves;
    if (!found.empty() && found.front().part.kind == PartKind::some_spine) add_leaves(of_leaves, likely);
    if (!of_leaves.empty()) found = std::move(of_leaves);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    return found;
  }

 private:
  double least_share() const {
    return least_part_of_a_spine / static_cast<double>(std::max<std::size_t>(fabric_.spines, 2));
  }

  /// Compares the pairs that pass a leaf's uplinks with those that pass only others'.
  void add_leaves(std::vector<SometimesSlow>& found, double false_alarm) const {
    std::vector<double> usual, excess;
    for (const auto& leaf : leaves_) {
      Tally others;
      others.slow = across_.slow - leaf.slow;
      others.all = across_.all - leaf.all;
      usual.push_back(others.share());
      excess.push_back(leaf.share() - others.share());
    }
    // With few leaves, one slow leaf shifts all the others.
    constexpr std::size_t fewest_that_scatter = 6;
    const bool are_few = leaves_.size() < fewest_that_scatter;
    const double scatter = spread(excess, median(excess));
    const double by_load = are_few ? 0.1 : 0;  // load may slow one leaf this much more than the others
    const auto count = static_cast<double>(leaves_.size());
    constexpr double prior = 8;
    const double weight = are_few ? 0 : count - 1, freedom = prior + weight;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const auto& leaf = leaves_[i];
      if (leaf.all == 0) continue;
      // The scatter between leaves, moderated by that of the counts.
      const double of_count = usual[i] * (1 - usual[i]) / static_cast<double>(leaf.all);
      const double deviation = std::sqrt((prior * of_count + weight * scatter * scatter) / freedom);
      const boost::math::students_t student(freedom);
      const double margin = deviation * boost::math::quantile(boost::math::complement(student, false_alarm / count));
      if (excess[i] < std::max(margin, least_share()) ||
          chance_of_at_least(leaf.slow, leaf.all, std::min(usual[i] + by_load, 1.0)) > false_alarm / count)
        continue;
      found.push_back(
          {{PartKind::some_uplink, fmt::format("an uplink of {}", fabric_.leaves[i].name), {}, leaf.pairs, i},
           excess[i]});
    }
  }

  /// Compares the pairs between leaves with those inside a leaf.
  void add_spine(std::vector<SometimesSlow>& found) const {
    if (across_.all == 0 || inside_.all == 0) return;
    const double usual = inside_.share(), excess = across_.share() - usual;
    if (excess < least_share() || chance_of_at_least(across_.slow, across_.all, usual) > false_alarm_) return;
    const bool are_two = leaves_.size() == 2;
    found.push_back(
        {{are_two ? PartKind::some_uplink : PartKind::some_spine,
          are_two ? fmt::format("an uplink between {} and {}", fabric_.leaves.front().name, fabric_.leaves.back().name)
                  : "a spine",
          {},
          across_.pairs},
         excess});
  }

  const Fabric& fabric_;
  double false_alarm_;
  std::vector<Tally> leaves_;
  Tally inside_, across_;
};

}  // namespace

std::vector<SometimesSlow> find_sometimes_slow(const Fabric& fabric, const Round& pairs, const Losses& losses,
                                               const std::vector<bool>& is_explained, double loss, double false_alarm) {
  if (fabric.leaves.empty()) return {};
  Finder finder(fabric, false_alarm);
  finder.count(pairs, losses, is_explained, loss);
  return finder.find();
}

}  // namespace ringmark::accept
