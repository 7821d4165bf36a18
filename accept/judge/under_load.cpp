#include "accept/judge/under_load.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace ringmark::accept {
namespace {

/// Under load, traffic over uplinks is slower than traffic inside a leaf, in healthy fabrics too. With only two
/// leaves, all traffic crosses the same uplinks and there is nothing to compare with, so the result is empty. Skips
/// pairs of leaves that are already `known` to be slow.
std::vector<Round> loaded_between_leaves(const Fabric& fabric, const std::vector<Scan>& scans,
                                         const std::set<std::size_t>& known) {
  std::vector<Round> rounds;
  if (fabric.leaves.size() < 3 + known.size()) return rounds;
  for (const auto& scan : scans) {
    Round round;
    std::copy_if(scan.loaded.begin(), scan.loaded.end(), std::back_inserter(round), [&](const PairRate& pair) {
      const auto from = fabric.leaf_of_end(pair.from), to = fabric.leaf_of_end(pair.to);
      return from != to && !(from && known.contains(*from)) && !(to && known.contains(*to));
    });
    if (round.empty() || (!rounds.empty() && round.size() != rounds.front().size())) return {};
    rounds.push_back(std::move(round));
  }
  return rounds;
}

const Culprit* path_of(const Part& part, const Verdict& rate) {
  const auto found = std::find_if(rate.likely_paths.begin(), rate.likely_paths.end(),
                                  [&](const Culprit& each) { return part.leaf && each.part.leaf == part.leaf; });
  return found == rate.likely_paths.end() ? nullptr : &*found;
}

}  // namespace

UnderLoad judge_under_load(const Fabric& fabric, const std::vector<Scan>& scans, const ErrorRates& rates,
                           const Verdict& rate) {
  UnderLoad result;
  std::set<std::size_t> known;
  for (const auto& culprit : rate.culprits) {
    if (culprit.part.leaf) known.insert(*culprit.part.leaf);
  }
  for (;;) {
    const auto rounds = loaded_between_leaves(fabric, scans, known);
    if (rounds.empty()) return result;
    const auto found = judge(fabric, rounds, rates, std::nullopt, Blame::uplinks);
    const auto has_path = [&](const Culprit& each) { return path_of(each.part, rate) != nullptr; };
    const auto first = std::find_if(found.culprits.begin(), found.culprits.end(), has_path);
    if (first == found.culprits.end()) {
      for (const auto& [part, ratio, share] : found.culprits)
        result.culprits.push_back({Sign::loaded, part, ratio, share});
      result.suspects = found.suspects;
      return result;
    }
    const auto& path = *path_of(first->part, rate);
    result.culprits.push_back({Sign::rate, path.part, path.ratio, path.share});
    known.insert(*first->part.leaf);
  }
}

}  // namespace ringmark::accept
