#include "replay/import/recorded_ranks.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/line_cursor.hpp"

namespace ringmark::replay {
namespace {

std::optional<int> number_at_end(std::string_view text) {
  const auto last = text.find_last_not_of("0123456789");
  auto number = LineCursor(last == std::string_view::npos ? text : text.substr(last + 1)).number<int>();
  return number && *number < most_ranks ? number : std::nullopt;
}

/// Each is one of the ranks, and no two are the same.
bool are_ranks(const std::vector<std::optional<int>>& numbers, int ranks) {
  std::set<int> seen;
  return std::all_of(numbers.begin(), numbers.end(), [&](const auto& each) {
    return each && *each >= 0 && *each < ranks && seen.insert(*each).second;
  });
}

std::vector<int> values_of(const std::vector<std::optional<int>>& numbers) {
  std::vector<int> values;
  for (const auto& each : numbers) values.push_back(*each);
  return values;
}

/// A message's distance to its peer, on a ring of the communicator's ranks.
int distance(const Imported& recording, const Call& call, int rank, int ranks) {
  if (call.communicator < 0) return ((call.peer->number - rank) % ranks + ranks) % ranks;
  const auto& seen = recording.communicators[static_cast<std::size_t>(call.communicator)];
  const int size = std::max(1, seen.ranks);
  return ((call.peer->number - std::max(0, seen.rank)) % size + size) % size;
}

}  // namespace

std::optional<int> rank_of_file(const std::string& path) {
  const auto name = std::filesystem::path(path).filename().string();
  auto stem = std::string_view(name);
  for (const std::string_view ending : {".json", ".pickle", ".pkl"}) {
    if (stem.ends_with(ending)) stem.remove_suffix(ending.size());
  }
  const auto number = number_at_end(stem);
  return number ? number : number_at_end(stem.substr(0, stem.find('.')));
}

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
                                         int ranks, std::vector<std::string>& notes) {
  std::vector<std::optional<int>> shown, named;
  std::map<int, std::size_t> first_of;
  for (std::size_t i = 0; i < all.size(); ++i) {
    shown.push_back(recorded_rank(all[i], ranks));
    named.push_back(rank_of_file(names[i]));
    if (!shown.back()) continue;
    const auto [known, is_new] = first_of.try_emplace(*shown.back(), i);
    if (!is_new)
      throw BadUsage(fmt::format("{} and {} are both recordings of rank {}; give one for each rank",
                                 names[known->second], names[i], *shown.back()));
  }
  if (are_ranks(shown, ranks)) return values_of(shown);
  if (static_cast<int>(all.size()) != ranks) return std::nullopt;
  const auto contradicts = [&](const std::vector<std::optional<int>>& numbers) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (shown[i] && shown[i] != numbers[i]) return true;
    }
    return false;
  };
  if (are_ranks(named, ranks) && !contradicts(named)) {
    notes.emplace_back("the recordings do not show their ranks; the numbers in the file names are used");
    return values_of(named);
  }
  std::vector<std::optional<int>> in_order;
  for (int rank = 0; rank < ranks; ++rank) in_order.emplace_back(rank);
  if (contradicts(in_order)) return std::nullopt;
  notes.emplace_back("the recordings do not show their ranks; the order of the files is used");
  return values_of(in_order);
}

bool are_alike(const std::vector<Imported>& all, const std::vector<int>& of_ranks, int ranks) {
  const auto is_same = [&](std::size_t i) {
    const auto &first = all.front().calls, &calls = all[i].calls;
    return std::equal(
        first.begin(), first.end(), calls.begin(), calls.end(), [&](const Call& mine, const Call& theirs) {
          if (!mine.peer || !theirs.peer) return is_same_but_for_parts(mine, theirs);
          return mine.peer->is_sent == theirs.peer->is_sent && mine.elements == theirs.elements &&
                 mine.type == theirs.type && mine.communicator == theirs.communicator &&
                 distance(all.front(), mine, of_ranks.front(), ranks) == distance(all[i], theirs, of_ranks[i], ranks);
        });
  };
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (!is_same(i)) return false;
  }
  return true;
}

}  // namespace ringmark::replay
