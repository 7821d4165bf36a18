#include "bench/mix/mix_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/flags/make_counts.hpp"
#include "bench/flags/sizes.hpp"

namespace ringmark::mix {
namespace {

[[noreturn]] void refuse(const MixGroup& group, std::string key, std::string text, std::string remedy = "") {
  throw BadUsage(
      Problem{.flag = std::move(key), .value = group.name, .text = std::move(text), .remedy = std::move(remedy)});
}

void draw_shares(std::vector<MixGroup>& groups, int ranks, std::uint64_t seed) {
  std::vector<int> free(static_cast<std::size_t>(ranks));
  std::iota(free.begin(), free.end(), 0);
  std::erase_if(free, [&](int rank) {
    return std::any_of(groups.begin(), groups.end(), [&](const MixGroup& group) { return group.has(rank); });
  });
  std::mt19937_64 random(seed);
  for (std::size_t i = free.size(); i > 1; --i) std::swap(free[i - 1], free[random() % i]);
  for (auto& group : groups) {
    if (!group.share) continue;
    if (*group.share == 1) {
      group.ranks.resize(static_cast<std::size_t>(ranks));
      std::iota(group.ranks.begin(), group.ranks.end(), 0);
      continue;
    }
    const auto wanted = static_cast<std::size_t>(std::lround(*group.share * ranks));
    if (wanted > free.size())
      refuse(group, "ranks",
             fmt::format("needs {} random ranks, but only {} are in no other group", wanted, free.size()));
    group.ranks.assign(free.end() - static_cast<std::ptrdiff_t>(wanted), free.end());
    free.resize(free.size() - wanted);
    std::sort(group.ranks.begin(), group.ranks.end());
  }
}

}  // namespace

bool MixGroup::has(int rank) const { return std::binary_search(ranks.begin(), ranks.end(), rank); }

Operation MixGroup::operation() const {
  const int n = static_cast<int>(ranks.size());
  if (counts) return with_counts(collective, type, op, make_counts(*counts, collective, type, n, size_bytes));
  return {collective, type, op, count_for(collective, type, n, size_bytes), root, pattern};
}

std::vector<MixGroup> with_ranks(std::vector<MixGroup> groups, int ranks, std::uint64_t seed) {
  draw_shares(groups, ranks, seed);
  for (const auto& group : groups) {
    const int size = static_cast<int>(group.ranks.size());
    if (size < 2) refuse(group, "ranks", fmt::format("has {} of {} ranks", size, ranks), "a group needs at least two");
    if (std::adjacent_find(group.ranks.begin(), group.ranks.end()) != group.ranks.end())
      refuse(group, "ranks", "names a rank twice");
    if (group.ranks.back() >= ranks)
      refuse(group, "ranks",
             fmt::format("names rank {}, but there are only {}, numbered from 0", group.ranks.back(), ranks));
    if (group.root >= size)
      refuse(group, "root", fmt::format("is {}, but the group has only {} ranks", group.root, size));
    if (group.counts) {
      if (const auto why = why_no_counts(*group.counts, group.collective, size)) refuse(group, "counts", *why);
    }
    if (total_bytes(group.operation(), size) == 0) refuse(group, "size", "is less than one element for each rank");
  }
  return groups;
}

void refuse_groups_that_share_a_gpu(const std::vector<MixGroup>& groups) {
  const auto is_on_gpu = [](const MixGroup& group) { return facts_of(group.transport.value()).computes_on_gpu; };
  for (const auto& group : groups) {
    for (const auto& other : groups) {
      if (&other == &group) break;
      const auto shared =
          std::find_if(group.ranks.begin(), group.ranks.end(), [&](int rank) { return other.has(rank); });
      if (shared == group.ranks.end() || !is_on_gpu(group) || !is_on_gpu(other)) continue;
      refuse(group, "ranks",
             fmt::format("shares rank {} with {}; both run {} on its GPU and can wait for each other forever", *shared,
                         other.name, ringmark::name(*group.transport)),
             "give them different ranks, or set transport: tcp for one of them");
    }
  }
}

}  // namespace ringmark::mix
