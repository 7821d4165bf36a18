#include "history/answers/causes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input/host_list.hpp"

namespace ringmark::history {
namespace {

constexpr std::size_t window = 5;  ///< launches on each side of a point in time
/// Noise may shift the place at which a change is found by this many launches.
constexpr std::size_t displacement = 3;

using Values = std::map<std::string, std::string>;

/// The values of a launch by name.
Values values_of(Store& store, const Chain& chain, std::size_t launch) {
  auto values = choices_of(chain.series[chain.series_of[launch]]);
  values.merge(facts_of_launch(store, chain.launches[launch].launch));
  return values;
}

using Launches = std::vector<Values>;

std::set<std::string> seen(const Launches& launches, std::size_t begin, std::size_t end, const std::string& name) {
  std::set<std::string> values;
  for (auto launch = begin; launch < end; ++launch) {
    const auto found = launches[launch].find(name);
    values.insert(found == launches[launch].end() ? std::string(unset) : found->second);
  }
  return values;
}

std::string listed(const std::set<std::string>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

/// The change of a value at `place`, if no value occurs on both sides of it.
std::optional<Cause> change_at(const Launches& launches, std::size_t place, const std::string& name) {
  const auto before = seen(launches, place - std::min(place, window), place, name);
  const auto after = seen(launches, place, std::min(place + window, launches.size()), name);
  const bool is_shared =
      std::any_of(before.begin(), before.end(), [&](const auto& each) { return after.contains(each); });
  if (is_shared) return std::nullopt;
  return Cause{name, listed(before), listed(after)};
}

std::optional<Cause> nearest_change(const Launches& launches, std::size_t first, const std::string& name) {
  for (std::size_t distance = 0; distance <= displacement; ++distance) {
    for (const auto place : {first + distance, first - std::min(distance, first)}) {
      if (place == 0 || place >= launches.size()) continue;
      if (auto found = change_at(launches, place, name)) return found;
    }
  }
  return std::nullopt;
}

/// Hosts that took part for the first or the last time within the launches [begin, end). Hosts that merely alternate
/// between launches are not a cause.
std::optional<Cause> change_of_hosts(const Chain& chain, std::size_t begin, std::size_t end,
                                     const std::vector<HostSpan>& hosts) {
  if (begin == 0 || end >= chain.launches.size()) return std::nullopt;
  const auto from = chain.launches[begin - 1].time, until = chain.launches[end].time;
  std::vector<std::string> left, joined;
  for (const auto& each : hosts) {
    if (each.last >= from && each.last < until) left.push_back(each.host);
    if (each.first > from && each.first <= until) joined.push_back(each.host);
  }
  if (left.empty() && joined.empty()) return std::nullopt;
  return Cause{"hosts", fold_host_list(left), fold_host_list(joined)};
}

}  // namespace

std::vector<Cause> causes_of(Store& store, const Chain& chain, std::size_t first, const std::vector<HostSpan>& hosts) {
  const auto size = chain.launches.size();
  const auto reach = window + displacement;
  const auto begin = first - std::min(first, reach), end = std::min(first + reach, size);
  Launches launches;
  std::set<std::string> names;
  for (auto launch = begin; launch < end; ++launch) {
    launches.push_back(values_of(store, chain, launch));
    for (const auto& [name, value] : launches.back()) names.insert(name);
  }
  std::vector<Cause> causes;
  for (const auto& name : names) {
    if (auto cause = nearest_change(launches, first - begin, name)) causes.push_back(std::move(*cause));
  }
  if (auto cause = change_of_hosts(chain, first - std::min(first, displacement), first + displacement, hosts))
    causes.push_back(std::move(*cause));
  return causes;
}

std::string in_words(const Cause& cause) {
  if (cause.name != "hosts") return fmt::format("{} {} → {}", cause.name, cause.before, cause.after);
  if (cause.after.empty()) return fmt::format("{} left", cause.before);
  return cause.before.empty() ? fmt::format("{} joined", cause.after)
                              : fmt::format("{} left, {} joined", cause.before, cause.after);
}

}  // namespace ringmark::history
