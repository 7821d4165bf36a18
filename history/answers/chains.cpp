#include "history/answers/chains.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "results/schema/benchmark_case.hpp"

namespace ringmark::history {
namespace {

using Values = std::map<std::string, std::string>;

Values case_values(const Series& series) {
  auto values = values_of(series);
  std::erase_if(values, [](const auto& each) { return is_choice(each.first); });
  return values;
}

std::size_t differences(const Values& one, const Values& other) {
  Values differing;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                std::inserter(differing, differing.end()));
  return differing.size();
}

struct Stretch {
  const Series* series;
  std::vector<LaunchTime> launches;
  Values of_case, choices;
};

/// The chain that the stretch goes on, or the end.
std::vector<Chain>::iterator chain_before(std::vector<Chain>& chains, const std::vector<const Stretch*>& last,
                                          const Stretch& next) {
  auto best = chains.end();
  auto least = static_cast<std::size_t>(-1);
  for (auto chain = chains.begin(); chain != chains.end(); ++chain) {
    const auto& before = *last[static_cast<std::size_t>(chain - chains.begin())];
    if (before.of_case != next.of_case || before.launches.back().time >= next.launches.front().time) continue;
    if (const auto count = differences(before.choices, next.choices); count < least) {
      least = count;
      best = chain;
    }
  }
  return best;
}

std::string case_and_size(const Series& series) {
  const auto values = values_of(series);
  const auto value = [&](const char* column) {
    const auto found = values.find(column);
    return found == values.end() ? "" : found->second;
  };
  auto text = case_in_words(value);
  const auto source = value("src_host"), destination = value("dst_host");
  if (!source.empty()) text += fmt::format(", {} to {}", source, destination);
  if (const auto model = value("model"); !model.empty()) return text + ", " + model;
  return text + ", " + format_size(series.row.record.size_bytes);
}

}  // namespace

std::map<std::string, std::string> values_of(const Series& series) {
  auto values = series.row.record.settings.others;
  for (const auto& [variable, value] : series.row.record.extra) values.emplace(variable, value);
  for (const auto* column : columns_of(Part::series)) {
    if (auto value = text_in(series.row, *column); !value.empty()) values[std::string(column->name)] = std::move(value);
  }
  return values;
}

std::map<std::string, std::string> choices_of(const Series& series) {
  auto values = values_of(series);
  std::erase_if(values, [](const auto& each) { return !is_choice(each.first); });
  return values;
}

std::vector<Point> Chain::points() const {
  std::vector<Point> all;
  for (const auto& launch : launches) all.push_back({launch.time, launch.time_us});
  return all;
}

std::vector<Chain> chains_of(Store& store, const std::vector<Series>& series, const Selection& selection) {
  std::vector<Stretch> stretches;
  for (const auto& each : series) {
    auto launches = launch_times(store, each.id, selection);
    if (!launches.empty()) stretches.push_back({&each, std::move(launches), case_values(each), choices_of(each)});
  }
  std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return a.launches.front().time < b.launches.front().time;
  });
  std::vector<Chain> chains;
  std::vector<const Stretch*> last;
  for (const auto& stretch : stretches) {
    auto chain = chain_before(chains, last, stretch);
    if (chain == chains.end()) {
      chain = chains.insert(chain, Chain{.of_case = case_and_size(*stretch.series)});
      last.push_back(nullptr);
    }
    last[static_cast<std::size_t>(chain - chains.begin())] = &stretch;
    chain->series.push_back(*stretch.series);
    chain->launches.insert(chain->launches.end(), stretch.launches.begin(), stretch.launches.end());
    chain->series_of.resize(chain->launches.size(), chain->series.size() - 1);
  }
  return chains;
}

std::vector<std::string> distinctions(const std::vector<Chain>& chains) {
  std::map<std::string, std::set<std::string>> seen;
  std::set<std::string> names;
  std::vector<Values> choices;
  for (const auto& chain : chains) {
    choices.push_back(choices_of(chain.last()));
    for (const auto& [name, value] : choices.back()) names.insert(name);
  }
  for (const auto& each : choices) {
    for (const auto& name : names) {
      const auto found = each.find(name);
      seen[name].insert(found == each.end() ? "" : found->second);
    }
  }
  std::vector<std::string> texts;
  for (const auto& each : choices) {
    std::vector<std::string> words;
    for (const auto& [name, value] : each) {
      if (seen[name].size() > 1) words.push_back(name + "=" + value);
    }
    texts.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return texts;
}

std::optional<double> bus_bandwidth_GBps(const Series& series, double time_us) {
  const auto& record = series.row.record;
  const auto workload = record.collective.only();
  if (!workload) return std::nullopt;
  constexpr double bytes_per_us_of_GBps = 1e3;
  const auto algorithm_GBps = static_cast<double>(record.size_bytes) / time_us / bytes_per_us_of_GBps;
  if (const auto* collective = std::get_if<Collective>(&*workload)) {
    if (record.ranks < 2) return std::nullopt;  // nothing passes a bus
    return algorithm_GBps * bus_factor(*collective, record.ranks);
  }
  const auto* link = std::get_if<LinkTest>(&*workload);
  return link != nullptr && *link == LinkTest::bandwidth ? std::optional(algorithm_GBps) : std::nullopt;
}

}  // namespace ringmark::history
