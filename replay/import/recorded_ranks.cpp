#include "replay/import/recorded_ranks.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "replay/import/messages.hpp"

namespace ringmark::replay {
namespace {

/// Of "trace_rank_12.json"; nothing without digits at the end of the stem.
std::optional<int> last_number(const std::string& name) {
  const auto stem = std::filesystem::path(name).stem().string();
  auto begin = stem.size();
  while (begin > 0 && stem[begin - 1] >= '0' && stem[begin - 1] <= '9') --begin;
  int number = 0;
  const auto [end, error] = std::from_chars(stem.data() + begin, stem.data() + stem.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool are_ranks(const std::vector<std::optional<int>>& numbers, int ranks) {
  std::set<int> seen;
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](const auto& each) { return each && *each < ranks && seen.insert(*each).second; });
}

/// A message's distance to its peer, on a ring of the communicator's ranks.
int distance(const Imported& recording, const Call& call, int rank, int ranks) {
  if (call.communicator < 0) return ((call.peer->number - rank) % ranks + ranks) % ranks;
  const auto& seen = recording.communicators[static_cast<std::size_t>(call.communicator)];
  const int size = std::max(1, seen.ranks);
  return ((call.peer->number - std::max(0, seen.rank)) % size + size) % size;
}

}  // namespace

std::optional<int> recorded_rank(const Imported& recording, int ranks) {
  if (recording.rank) return recording.rank;
  for (const auto& each : recording.communicators) {
    if (each.rank < 0) continue;
    if (each.ranks == ranks) return each.rank;
    if (static_cast<std::size_t>(each.rank) < each.members.size())
      return each.members[static_cast<std::size_t>(each.rank)];
  }
  return std::nullopt;
}

std::optional<std::vector<int>> ranks_of(const std::vector<std::string>& names, const std::vector<Imported>& all,
                                         int ranks) {
  std::vector<std::optional<int>> shown, named;
  for (std::size_t i = 0; i < all.size(); ++i) {
    shown.push_back(recorded_rank(all[i], ranks));
    named.push_back(last_number(names[i]));
  }
  const bool is_one_of_each = static_cast<int>(all.size()) == ranks;
  std::vector<int> result;
  if (are_ranks(shown, ranks)) {
    for (const auto& each : shown) result.push_back(*each);
  } else if (is_one_of_each && are_ranks(named, ranks)) {
    for (const auto& each : named) result.push_back(*each);
  } else if (is_one_of_each) {
    for (int rank = 0; rank < ranks; ++rank) result.push_back(rank);
  } else {
    return std::nullopt;
  }
  return result;
}

bool are_alike(const std::vector<Imported>& all, const std::vector<int>& of_ranks, int ranks) {
  const auto is_same = [&](std::size_t i) {
    const auto &first = all.front().calls, &calls = all[i].calls;
    return std::equal(first.begin(), first.end(), calls.begin(), calls.end(), [&](Call mine, Call theirs) {
      mine.is_uneven = theirs.is_uneven = mine.is_uneven || theirs.is_uneven;
      if (mine.peer.has_value() != theirs.peer.has_value()) return false;
      if (mine.peer)
        return mine.peer->is_sent == theirs.peer->is_sent && mine.elements == theirs.elements &&
               mine.type == theirs.type && mine.communicator == theirs.communicator &&
               distance(all.front(), mine, of_ranks.front(), ranks) == distance(all[i], theirs, of_ranks[i], ranks);
      return is_same_call(mine, theirs);
    });
  };
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (!is_same(i)) return false;
  }
  return true;
}

}  // namespace ringmark::replay
