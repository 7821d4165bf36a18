#include "replay/import/trace_of_calls.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "replay/import/played_calls.hpp"

namespace ringmark::replay {
namespace {

/// Sets the event's group and channel, and adds them to the trace if they are new. A communicator is a channel.
void place(StepTrace& trace, Event& event, const Group& group, int communicator) {
  const auto index_of = [](auto& list, const auto& is_it, const auto& make) {
    const auto found = std::find_if(list.begin(), list.end(), is_it);
    if (found != list.end()) return static_cast<int>(found - list.begin());
    list.push_back(make());
    return static_cast<int>(list.size()) - 1;
  };
  event.group = index_of(
      trace.groups, [&](const auto& each) { return each == group; }, [&] { return group; });
  const auto name = communicator < 0 ? group.name : fmt::format("comm{}", communicator);
  event.channel = index_of(
      trace.channels, [&](const auto& each) { return each.name == name; },
      [&] {
        return Channel{name, event.group};
      });
}

/// The elements that each rank of a group sends to each in a call: the rows of all ranks if all were recorded, else the
/// first known row, which then applies to all ranks. Empty if none is known, or if all parts are equal.
std::vector<std::uint64_t> counts_of(const std::vector<Imported>& all, std::size_t call, int size) {
  const auto n = static_cast<std::size_t>(size);
  std::map<std::size_t, std::vector<std::uint64_t>> rows;  // by number in the group
  std::vector<std::uint64_t> unplaced;                     // of a rank whose number is unknown
  bool is_uneven = false;
  for (std::size_t file = 0; file < all.size(); ++file) {
    const auto& each = all[file].calls[call];
    if (each.parts.size() != n) continue;
    is_uneven = is_uneven || each.is_uneven;
    const int number = each.communicator < 0
                           ? all[file].rank.value_or(static_cast<int>(file))
                           : all[file].communicators[static_cast<std::size_t>(each.communicator)].rank;
    if (number >= 0) {
      rows.try_emplace(static_cast<std::size_t>(number), each.parts);
    } else if (unplaced.empty()) {
      unplaced = each.parts;
    }
  }
  if (!is_uneven) return {};
  if (rows.empty()) return unplaced;
  if (rows.size() != n || rows.rbegin()->first != n - 1) return rows.begin()->second;
  std::vector<std::uint64_t> matrix;
  for (const auto& [number, row] : rows) matrix.insert(matrix.end(), row.begin(), row.end());
  return matrix;
}

/// Counts the calls that a step trace cannot represent exactly.
class Deviations {
 public:
  void left_out(int ranks) { ++outside_[ranks]; }
  void took(const Call& call, const Event& event, int size) {
    const auto share = static_cast<std::size_t>(size);
    odd_roots_ += call.root >= size ? 1 : 0;
    uneven_ += call.is_uneven ? 1 : 0;
    of_one_row_ += event.counts.size() == share ? 1 : 0;
    of_all_rows_ += event.counts.size() == share * share && share > 1 ? 1 : 0;
  }

  void note(std::vector<std::string>& notes) const {
    for (const auto& [size, calls] : outside_)
      notes.push_back(fmt::format(
          "{} calls within {} are left out: a step trace has only groups of all ranks, of neighbours and of "
          "every n-th rank",
          calls, size > 0 ? fmt::format("{} ranks", size) : "a communicator of unknown ranks"));
    if (uneven_ > 0)
      notes.push_back(
          fmt::format("{} all_to_alls have parts of different sizes: {} with the counts of all ranks, {} with "
                      "those of one rank for all, {} with equal parts, since their counts are unknown",
                      uneven_, of_all_rows_, of_one_row_, uneven_ - of_all_rows_ - of_one_row_));
    if (odd_roots_ > 0)
      notes.push_back(
          fmt::format("{} calls have a root that is not one of their ranks; the last rank is used", odd_roots_));
  }

 private:
  std::map<int, int> outside_;  ///< number of calls by the communicator's number of ranks
  int odd_roots_ = 0, uneven_ = 0, of_one_row_ = 0, of_all_rows_ = 0;
};

}  // namespace

StepTrace trace_of_calls(const std::vector<Imported>& all, int ranks, const std::vector<std::optional<Group>>& groups,
                         std::vector<std::string>& notes) {
  const auto& imported = all.front();
  StepTrace trace;
  trace.ranks = ranks;
  trace.source = imported.format;
  trace.groups.clear();
  trace.channels.clear();
  Deviations deviations;
  const auto event_of_call = [&](std::size_t number) -> std::optional<Event> {
    const auto& call = imported.calls[number];
    const auto known = static_cast<std::size_t>(std::max(call.communicator, 0));
    const auto group = call.communicator < 0 ? std::optional(Group{}) : groups[known];
    if (!group) {
      deviations.left_out(imported.communicators[known].ranks);
      return std::nullopt;
    }
    const int size = group->size(ranks);
    auto event = event_of(call, size);
    event.counts = counts_of(all, number, size);
    event.counts_ranks = event.counts.empty() ? 0 : size;
    place(trace, event, *group, call.communicator);
    deviations.took(call, event, size);
    return event;
  };
  const int at_once = append_calls(trace, imported, event_of_call, Awaited::at_the_end);
  if (at_once > 0) notes.push_back(note_of_calls_at_once(at_once));
  deviations.note(notes);
  if (trace.groups.empty())
    throw BadUsage(fmt::format("a step trace can represent none of the calls{}{}", notes.empty() ? "" : ": ",
                               fmt::join(notes, "; ")));
  return trace;
}

}  // namespace ringmark::replay
