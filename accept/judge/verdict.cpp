#include "accept/judge/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "accept/judge/chance.hpp"
#include "accept/judge/losses.hpp"
#include "accept/judge/noise.hpp"
#include "accept/judge/sometimes.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

bool has_uplinks(const Part& part) {
  return part.kind == PartKind::leaf || part.kind == PartKind::leaf_sends || part.kind == PartKind::leaf_receives;
}

bool passes_uplinks(const Part& part) { return has_uplinks(part) || part.kind == PartKind::between; }

class Search {
 public:
  Search(const Fabric& fabric, const std::vector<Round>& rounds, const ErrorRates& rates,
         std::optional<double> expected_GBps, Blame blame)
      : fabric_(fabric),
        pairs_(rounds.front()),
        blame_(blame),
        loss_(-std::log1p(-rates.loss)),
        losses_(rounds, loss_, expected_GBps),
        parts_(parts_of(fabric, rounds.front())),
        is_explained_(rounds.front().size(), false) {
    if (blame == Blame::uplinks) std::erase_if(parts_, [](const Part& part) { return !has_uplinks(part); });
    // Every part may raise a false alarm in each of the rounds, which are not independent.
    constexpr double looks = 4;
    false_alarm_of_paths_ = rates.false_alarm / looks / 2;
    false_alarm_ = false_alarm_of_paths_ / static_cast<double>(std::max<std::size_t>(parts_.size(), 1));
    miss_ = rates.miss / looks;
  }

  Verdict find() {
    Verdict verdict;
    verdict.expected_GBps = losses_.expected_GBps();
    if (verdict.expected_GBps <= 0) return verdict;
    verdict.scatter = losses_.scatter();
    for (;;) {
      const auto suspects = unexplained();
      if (suspects.empty()) break;
      const Noise noise(suspects, loss_ / 2);
      const auto candidates = explanations(suspects);
      const auto culprit = std::find_if(candidates.begin(), candidates.end(),
                                        [&](const auto& each) { return is_no_chance(each, noise); });
      // A larger part may explain the same pairs and more, but it takes further rounds to show it.
      const auto larger = std::find_if(candidates.begin(), culprit, [&](const auto& each) {
        return culprit != candidates.end() && share_most(each.pairs, culprit->pairs);
      });
      if (culprit == candidates.end() || larger != culprit) {
        for (const auto& suspect : suspects) {
          if (!is_sound(suspect, noise)) open_.push_back(suspect.part);
        }
        for (const auto& candidate : candidates) {
          if (candidate.part->kind != PartKind::link) verdict.suspects.push_back(candidate.part->name);
        }
        break;
      }
      verdict.culprits.push_back({*culprit->part, std::exp(-culprit->level)});
      for (const auto pair : culprit->pairs) is_explained_[pair] = true;
    }
    if (blame_ == Blame::any) add_sometimes_slow(verdict);
    for (const auto* part : open_) verdict.undecided.push_back(part->name);
    verdict.outcome = !verdict.culprits.empty()    ? Outcome::fail
                      : !verdict.undecided.empty() ? Outcome::undecided
                                                   : Outcome::pass;
    return verdict;
  }

 private:
  std::vector<Suspect> unexplained() const {
    std::vector<Suspect> suspects;
    for (const auto& part : parts_) {
      Suspect suspect{&part, {}, {}};
      for (const auto pair : part.pairs) {
        if (!is_explained_[pair]) suspect.pairs.push_back(pair);
      }
      // If other culprits explain most pairs of a part, the few that are left do not represent it.
      if (suspect.pairs.empty() || 2 * suspect.pairs.size() < part.pairs.size()) continue;
      suspect.series = losses_.of_pairs(suspect.pairs);
      suspect.level = median(suspect.series);
      suspects.push_back(std::move(suspect));
    }
    return suspects;
  }

  std::vector<Culprit> sometimes_slow(double false_alarm) const {
    std::vector<Culprit> found;
    for (const auto& [part, share] : find_sometimes_slow(fabric_, pairs_, losses_, is_explained_, loss_, false_alarm)) {
      std::vector<double> slow;
      for (const auto pair : part.pairs) {
        for (std::size_t round = 0; round < losses_.rounds(); ++round) {
          if (losses_.at(pair, round) > loss_) slow.push_back(losses_.at(pair, round));
        }
      }
      found.push_back({part, std::exp(-median(std::move(slow))), share});
    }
    return found;
  }

  /// A link may happen to take the slow one of two paths in nearly every round; it is not a culprit then.
  void drop_links_on(const std::vector<Culprit>& paths, Verdict& verdict) const {
    std::erase_if(verdict.culprits, [&](const Culprit& other) {
      return other.part.kind == PartKind::link && std::any_of(paths.begin(), paths.end(), [&](const Culprit& path) {
               return took_by_chance(other.part.pairs.front(), path);
             });
    });
  }

  bool took_by_chance(std::size_t pair, const Culprit& path) const {
    const auto slow = count_above(losses_.of_pairs({pair}), loss_ / 2);
    return may_take(pair, path) &&
           chance_of_at_least(slow, losses_.rounds(), std::clamp(path.share, 0.01, 0.99)) > false_alarm_;
  }

  /// True if the pair's connections may run over the path, and it explains how slow they are.
  bool may_take(std::size_t pair, const Culprit& path) const {
    const auto from = fabric_.leaf_of_end(pairs_[pair].from), to = fabric_.leaf_of_end(pairs_[pair].to);
    if (!from || !to || from == to || losses_.of_pair(pair) > loss_ - std::log(path.ratio)) return false;
    return !path.part.leaf || from == path.part.leaf || to == path.part.leaf;
  }

  void add_sometimes_slow(Verdict& verdict) {
    constexpr double likely = 0.01;
    verdict.likely_paths = sometimes_slow(likely);
    const auto paths = sometimes_slow(false_alarm_of_paths_);
    drop_links_on(paths, verdict);
    for (const auto& culprit : paths) {
      verdict.culprits.push_back(culprit);
      // Pairs that took the slow path now and then are not a separate case.
      std::erase_if(open_, [&pairs = culprit.part.pairs](const Part* other) {
        return passes_uplinks(*other) ||
               (other->kind == PartKind::link && std::binary_search(pairs.begin(), pairs.end(), other->pairs.front()));
      });
      verdict.suspects.clear();
    }
  }

  /// True if its loss is below the one that matters, to the accuracy that the scatter allows.
  bool is_sound(const Suspect& suspect, const Noise& noise) const {
    return suspect.level + noise.margin(suspect.part->kind, miss_) <= loss_;
  }

  bool is_slow(std::size_t pair) const { return losses_.of_pair(pair) > loss_ / 2; }

  /// True if nearly all of its pairs are slow, so that it explains them unless this is random.
  bool explains(const Suspect& suspect) const {
    if (suspect.level < nearly * loss_) return false;
    const auto slow_pairs =
        std::count_if(suspect.pairs.begin(), suspect.pairs.end(), [&](std::size_t pair) { return is_slow(pair); });
    return static_cast<double>(slow_pairs) >= nearly * static_cast<double>(suspect.pairs.size()) &&
           (passes_uplinks(*suspect.part) ? is_always_slow(suspect) : is_slow_as_a_whole(suspect));
  }

  /// True if most of its pairs are slow in the rounds in which it is slow. One slow uplink of two leaves half of the
  /// pairs fast in each round, different ones each time; most can still happen to have a slow median.
  bool is_slow_as_a_whole(const Suspect& suspect) const {
    std::size_t fast = 0, all = 0;
    for (std::size_t round = 0; round < losses_.rounds(); ++round) {
      if (suspect.series[round] <= loss_ / 2) continue;
      for (const auto pair : suspect.pairs) {
        ++all;
        fast += losses_.at(pair, round) < suspect.level / 4 ? 1 : 0;
      }
    }
    return static_cast<double>(fast) <= (1 - nearly) * static_cast<double>(all);
  }

  /// One slow uplink of two makes every pair slow half of the time, which a few measurements can make look like three
  /// quarters.
  bool is_always_slow(const Suspect& suspect) const {
    std::size_t slow = 0;
    for (const auto pair : suspect.pairs) slow += count_above(losses_.of_pairs({pair}), loss_ / 2);
    constexpr double always = 0.9;
    return static_cast<double>(slow) >= always * static_cast<double>(suspect.pairs.size() * losses_.rounds());
  }

  /// True if it is slower than the scatter of healthy parts explains, in more rounds than random disturbances explain.
  bool is_no_chance(const Suspect& suspect, const Noise& noise) const {
    const auto kind = suspect.part->kind;
    return suspect.level >= noise.margin(kind, false_alarm_) &&
           noise.probability_of(kind, count_above(suspect.series, loss_ / 2), suspect.series.size()) <= false_alarm_;
  }

  /// The parts that explain slow pairs, those with the most pairs first; ties keep the order of the parts.
  std::vector<Suspect> explanations(const std::vector<Suspect>& suspects) const {
    std::vector<Suspect> found;
    std::copy_if(suspects.begin(), suspects.end(), std::back_inserter(found),
                 [&](const auto& each) { return explains(each); });
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.pairs.size() > b.pairs.size(); });
    return found;
  }

  static constexpr double nearly = 0.75;
  const Fabric& fabric_;
  const Round& pairs_;
  Blame blame_;
  double loss_;
  Losses losses_;
  std::vector<Part> parts_;
  std::vector<bool> is_explained_;
  std::vector<const Part*> open_;      ///< parts that need more rounds
  double false_alarm_ = 0, miss_ = 0;  ///< per part and round
  double false_alarm_of_paths_ = 0;    ///< for all parts together that only some connections pass
};

}  // namespace

Verdict judge(const Fabric& fabric, const std::vector<Round>& rounds, const ErrorRates& rates,
              std::optional<double> expected_GBps, Blame blame) {
  if (rounds.size() < fewest_rounds || rounds.front().empty()) return {};
  return Search(fabric, rounds, rates, expected_GBps, blame).find();
}

}  // namespace ringmark::accept
