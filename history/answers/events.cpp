#include "history/answers/events.hpp"

#include <algorithm>
#include <optional>

#include "history/answers/in_parallel.hpp"

namespace ringmark::history {
namespace {

/// Noise may move the places at which one change is found in several chains.
constexpr std::chrono::days apart(3);

bool belongs(const Event& event, const Chain& chain, const Change& change) {
  const auto distance = std::chrono::abs(chain.launches[change.first].time - event.first_after);
  return (change.ratio > 1) == event.is_slower() && change.kind == event.changes.front().change.kind &&
         distance <= apart;
}

void keep_shared(std::vector<Cause>& causes, const std::vector<Cause>& others) {
  std::erase_if(causes,
                [&](const Cause& each) { return std::find(others.begin(), others.end(), each) == others.end(); });
}

/// The chain with the least p places it best.
void place_by_strongest(Event& event, const std::vector<Chain>& chains) {
  const auto& strongest = *std::min_element(event.changes.begin(), event.changes.end(),
                                            [](const auto& a, const auto& b) { return a.change.p < b.change.p; });
  const auto& launches = chains[strongest.chain].launches;
  event.last_before = launches[strongest.change.first - 1].time;
  event.first_after = launches[strongest.change.first].time;
}

}  // namespace

std::vector<Event> events_of(Store& store, const std::vector<Chain>& chains, const Selection& selection,
                             ChangeOptions options) {
  std::optional<std::vector<HostSpan>> hosts;  // which take a while
  options.series = std::max<std::size_t>(chains.size(), 1);
  std::vector<std::vector<Change>> changes(chains.size());
  in_parallel(chains.size(),
              [&] { return [&](std::size_t i) { changes[i] = changes_in(chains[i].points(), options); }; });
  std::vector<Event> events;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const auto& chain = chains[i];
    for (const auto& change : changes[i]) {
      if (!hosts) hosts = host_spans(store, selection);
      auto causes = causes_of(store, chain, change.first, *hosts);
      const auto known =
          std::find_if(events.begin(), events.end(), [&](const Event& each) { return belongs(each, chain, change); });
      if (known == events.end()) {
        events.push_back(
            {chain.launches[change.first - 1].time, chain.launches[change.first].time, {{i, change, causes}}, causes});
        continue;
      }
      keep_shared(known->causes, causes);
      known->changes.push_back({i, change, std::move(causes)});
    }
  }
  for (auto& event : events) place_by_strongest(event, chains);
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.first_after < b.first_after; });
  return events;
}

}  // namespace ringmark::history
