#include "history/answers/chains.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "history/answers/in_parallel.hpp"
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

std::string case_and_size(const Series& series) {
  const auto values = values_of(series);
  const auto value = [&](const char* column) {
    const auto found = values.find(column);
    return found == values.end() ? "" : found->second;
  };
  auto text = case_in_words(value);
  const auto source = value("src_host"), destination = value("dst_host");
  if (!source.empty()) text += fmt::format(", {} to {}", source, destination);
  const auto model = value("model");
  text += ", " + (model.empty() ? format_size(series.row.record.size_bytes) : model);
  constexpr std::string_view label = "label.";
  for (const auto& [key, each] : values) {
    if (key.starts_with(label)) text += fmt::format(", {}={}", key.substr(label.size()), each);
  }
  return text;
}

struct Stretch {
  const Series* series;
  TimeSpan span;
};

/// Joins stretches into chains. They must be added in the order of their first launches.
class Joining {
 public:
  void add(const Stretch& stretch) {
    const auto choices = choices_of(*stretch.series);
    auto& of_case = of_case_[case_values(*stretch.series)];
    auto found = chain_before(of_case, stretch, choices);
    if (!found) {
      found = chains_.size();
      of_case.push_back(*found);
      chains_.push_back({.case_name = case_and_size(*stretch.series), .span = stretch.span});
      choices_.emplace_back();
    }
    auto& chain = chains_[*found];
    choices_[*found] = choices;
    chain.series.push_back(*stretch.series);
    chain.span.last = stretch.span.last;
  }

  std::vector<Chain> finished() { return std::move(chains_); }

 private:
  /// The chain that the stretch continues.
  std::optional<std::size_t> chain_before(const std::vector<std::size_t>& candidates, const Stretch& next,
                                          const Values& choices) const {
    std::optional<std::size_t> best;
    auto least = static_cast<std::size_t>(-1);
    for (const auto candidate : candidates) {
      if (chains_[candidate].span.last >= next.span.first) continue;
      if (const auto count = differences(choices_[candidate], choices); count < least) {
        least = count;
        best = candidate;
      }
    }
    return best;
  }

  std::vector<Chain> chains_;
  std::vector<Values> choices_;  ///< of the last series of each chain
  std::map<Values, std::vector<std::size_t>> of_case_;
};

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

std::vector<Chain> outlines_of(Store& store, const std::vector<Series>& series, const Selection& selection) {
  std::vector<Stretch> stretches;
  LaunchTimeReader reader(store, selection);
  for (const auto& each : series) {
    if (const auto span = reader.span_of(each.id)) stretches.push_back({&each, *span});
  }
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const Stretch& a, const Stretch& b) { return a.span.first < b.span.first; });
  Joining joining;
  for (const auto& stretch : stretches) joining.add(stretch);
  auto chains = joining.finished();
  for (auto& chain : chains) chain.cluster = selection.cluster;
  return chains;
}

void read_launches(Store& store, std::span<Chain> chains, const Selection& selection) {
  in_parallel_with_times(store.file(), selection, chains.size(), [&](LaunchTimeReader& reader, std::size_t i) {
    auto& chain = chains[i];
    for (std::size_t k = 0; k < chain.series.size(); ++k) {
      const auto launches = reader.of(chain.series[k].id);
      chain.launches.insert(chain.launches.end(), launches.begin(), launches.end());
      chain.series_of.resize(chain.launches.size(), k);
    }
  });
}

std::vector<Chain> chains_of(Store& store, const std::vector<Series>& series, const Selection& selection) {
  auto chains = outlines_of(store, series, selection);
  read_launches(store, chains, selection);
  return chains;
}

TimeSpan span_of(const std::vector<Chain>& chains) {
  auto all = chains.front().span;
  for (const auto& chain : chains) all = {std::min(all.first, chain.span.first), std::max(all.last, chain.span.last)};
  return all;
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

std::vector<std::string> names_of(const std::vector<Chain>& chains) {
  std::vector<std::string> names;
  const auto settings = distinctions(chains);
  for (std::size_t i = 0; i < chains.size(); ++i)
    names.push_back(chains[i].case_name + (settings[i].empty() ? "" : ", " + settings[i]));
  return names;
}

std::optional<double> bus_bandwidth_GBps(const Series& series, double time_us) {
  const auto& record = series.row.record;
  const auto workload = record.collective.only();
  if (!workload) return std::nullopt;
  const auto algorithm_GBps = static_cast<double>(record.size_bytes) / time_us / bytes_per_us_per_GBps;
  if (const auto* collective = std::get_if<Collective>(&*workload)) {
    if (record.ranks < 2) return std::nullopt;  // a single rank sends nothing
    return algorithm_GBps * bus_factor(*collective, record.ranks);
  }
  const auto* link = std::get_if<LinkTest>(&*workload);
  return link != nullptr && *link == LinkTest::bandwidth ? std::optional(algorithm_GBps) : std::nullopt;
}

}  // namespace ringmark::history
