#include "history/answers/events.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "history/answers/in_parallel.hpp"

namespace ringmark::history {
namespace {

/// Noise may shift the places at which several chains show the same change, most of all the beginning of a drift.
constexpr std::chrono::days apart(Change::Kind kind) { return std::chrono::days(kind == Change::Kind::step ? 3 : 7); }

bool belongs(const Event& event, const Chain& chain, const Change& change) {
  const auto distance = std::chrono::abs(chain.launches[change.first].time - event.first_after);
  return (change.ratio > 1) == event.is_slower() && change.kind == event.changes.front().change.kind &&
         distance <= apart(change.kind);
}

std::vector<SharedCause> causes_of(const Event& event) {
  std::vector<SharedCause> shared;
  for (const auto& change : event.changes) {
    for (const auto& cause : change.causes) {
      const auto known =
          std::find_if(shared.begin(), shared.end(), [&](const SharedCause& each) { return each.cause == cause; });
      if (known == shared.end()) {
        shared.push_back({cause, 1});
      } else {
        ++known->series;
      }
    }
  }
  std::stable_sort(shared.begin(), shared.end(), [](const auto& a, const auto& b) { return a.series > b.series; });
  return shared;
}

/// The chain with the smallest p locates the event best.
void place_by_strongest(Event& event, const std::vector<Chain>& chains) {
  const auto& strongest = *std::min_element(event.changes.begin(), event.changes.end(),
                                            [](const auto& a, const auto& b) { return a.change.p < b.change.p; });
  const auto& launches = chains[strongest.chain].launches;
  event.last_before = launches[strongest.change.first - 1].time;
  event.first_after = launches[strongest.change.first].time;
}

}  // namespace

std::string in_words(const SharedCause& cause, const Event& event) {
  if (cause.series == event.changes.size()) return in_words(cause.cause);
  return fmt::format("{} (recorded in {} of {} series)", in_words(cause.cause), cause.series, event.changes.size());
}

std::vector<Event> events_of(Store& store, const std::vector<Chain>& chains, const Selection& selection,
                             ChangeOptions options) {
  std::optional<std::vector<HostSpan>> hosts;  // read only if there is a change, since that takes a while
  options.series = std::max<std::size_t>(chains.size(), 1);
  std::vector<std::vector<Change>> changes(chains.size());
  in_parallel(chains.size(),
              [&] { return [&](std::size_t i) { changes[i] = changes_in(chains[i].points(), options); }; });
  std::vector<Event> events;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const auto& chain = chains[i];
    for (const auto& change : changes[i]) {
      if (!hosts) hosts = host_spans(store, selection);
      ChainChange found{i, change, causes_of(store, chain, change.first, *hosts)};
      const auto known =
          std::find_if(events.begin(), events.end(), [&](const Event& each) { return belongs(each, chain, change); });
      if (known == events.end()) {
        events.push_back(
            {chain.launches[change.first - 1].time, chain.launches[change.first].time, {std::move(found)}, {}});
      } else {
        known->changes.push_back(std::move(found));
      }
    }
  }
  for (auto& event : events) {
    place_by_strongest(event, chains);
    event.causes = causes_of(event);
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.first_after < b.first_after; });
  return events;
}

}  // namespace ringmark::history
