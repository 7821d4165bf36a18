#include "analysis/fit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/burst.hpp"
#include "analysis/caveats.hpp"
#include "analysis/groups.hpp"
#include "analysis/segments.hpp"
#include "base/operation.hpp"
#include "base/units.hpp"
#include "results/column_kinds.hpp"
#include "results/replay_columns.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/moved_bytes.hpp"

namespace ringmark::analysis {
namespace {

/// NCCL's "Ring" is our ring.
std::string as_schedule(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// The algorithm in the model's name; the row's own words if the library did not report it.
std::vector<std::string> candidates(const std::string& collective, const std::string& told) {
  if (is_point_to_point(collective)) return {"direct"};
  if (!told.empty()) return {told};
  std::vector<std::string> names;
  if (const auto known = parse_collective(collective)) {
    for (const auto name : algorithms_for(*known)) {
      if (name != "two_level") names.emplace_back(name);
    }
  }
  return names;
}

std::optional<Observations> observe(const std::vector<const Group*>& some, const Table& table,
                                    const std::string& collective, const std::string& algorithm, int per_node) {
  Observations all;
  for (const auto* group : some) {
    const auto row = group->rows.front();
    const auto ranks = static_cast<int>(table.number("ranks")[row]);
    const auto size = table.number("size_bytes")[row];
    const auto cost = cost_of(collective, algorithm, ranks, per_node);
    if (!cost) return std::nullopt;
    double logs = 0;
    Observation each{{cost->steps, moved_bytes(*cost, size), 0}, static_cast<std::uint64_t>(size), ranks};
    for (std::size_t i = 0; i < group->times_us.size(); ++i) {
      logs += std::log(group->times_us[i]);
      each.launches.emplace_back(group->launches[i], group->times_us[i]);
    }
    each.point.time_us = std::exp(logs / static_cast<double>(group->times_us.size()));
    all.push_back(std::move(each));
  }
  return all;
}

/// Columns whose values each have a model; a model is fitted over ranks and sizes. The network is not among them, since
/// some rows do not know theirs.
constexpr std::size_t schema_at = 0, transport_at = 1, memory_at = 2, collective_at = 3, datatype_at = 4, op_at = 5,
                      algorithm_at = 6, timing_at = 7, in_place_at = 8, first_setting = 9;
std::vector<std::string> model_columns(const Table& table) {
  std::vector<std::string> columns{"schema", "transport",      "memory", "collective", "datatype",
                                   "op",     "algorithm_used", "timing", "in_place"};
  for (const auto& name : table.extra_columns()) {
    const bool has_models_of_its_own =
        is_choice(name) || (is_of_group(name) && name != "members") || name == "counts" || name == "pattern";
    if (!is_replay_figure(name) && has_models_of_its_own && name != configuration_column) columns.push_back(name);
  }
  return columns;
}

/// A group's columns as a model without figures.
FitModel describe(const Table& table, const Groups& groups, const Group& group, std::size_t columns) {
  FitModel model;
  model.transport = groups.value(group, transport_at);
  model.memory = groups.value(group, memory_at);
  model.collective = groups.value(group, collective_at);
  model.datatype = groups.value(group, datatype_at);
  model.op = groups.value(group, op_at);
  model.algorithm = as_schedule(groups.value(group, algorithm_at));
  model.timing = groups.value(group, timing_at);
  model.in_place = groups.value(group, in_place_at) == "1" ? 1 : 0;
  std::vector<std::string> settings;
  for (std::size_t c = first_setting; c < columns; ++c) {
    if (const auto& value = groups.value(group, c); !value.empty())
      settings.push_back(groups.columns()[c] + "=" + value);
  }
  model.settings = fmt::format("{}", fmt::join(settings, " "));
  const auto row = group.rows.front();
  const double ranks = table.number("ranks")[row], nodes = table.number("nodes")[row];
  const bool is_link = groups.value(group, schema_at) == name(Schema::link);
  // A link has two ends, which may lie on one host.
  if (nodes >= 1) model.ranks_per_node = std::max(1, static_cast<int>((is_link ? 2 : ranks) / nodes));
  return model;
}

/// The model of groups that differ only in ranks and size; nothing, with a note, if there is none.
std::optional<FitModel> fit_model(const Table& table, const Groups& groups, std::size_t columns,
                                  const std::string& network, const std::vector<const Group*>& some,
                                  std::vector<std::string>& notes) {
  const auto& any = *some.front();
  const auto row = any.rows.front();
  auto model = describe(table, groups, any, columns);
  const auto told = model.algorithm;

  std::set<std::uint64_t> sizes;
  std::set<int> ranks_seen;
  std::set<std::string> runs, times;
  for (const auto* group : some) {
    merge(model.caveats, caveats_of(table, group->rows));
    sizes.insert(static_cast<std::uint64_t>(table.number("size_bytes")[group->rows.front()]));
    ranks_seen.insert(static_cast<int>(table.number("ranks")[group->rows.front()]));
    for (const auto each : group->rows) {
      runs.insert(table.text("run_id")[each]);
      if (const auto& time = table.text("time_utc")[each]; !time.empty()) times.insert(time);
    }
  }
  const auto called = fmt::format("{} {}{}{}", model.transport, thing_of(table, row), told.empty() ? "" : " by ", told);
  model.network = network;
  if (sizes.size() < 2) {
    notes.push_back(fmt::format("not fitted: {}: one size alone tells no alpha from beta", called));
    return std::nullopt;
  }
  std::optional<Observations> best;
  double least = 0;
  const auto names = candidates(model.collective, told);
  for (const auto& name : names) {
    auto all = observe(some, table, model.collective, name, model.ranks_per_node);
    if (!all) continue;
    const double squares = squares_left(*all);
    if (best && squares >= least) continue;
    least = squares;
    best = std::move(all);
    model.algorithm = name;
  }
  if (!best) {
    notes.push_back(fmt::format("not fitted: {}: no schedule of '{}' on these ranks", called, fmt::join(names, ", ")));
    return std::nullopt;
  }
  if (forbid_decision(model.caveats)) notes.push_back(fmt::format("in doubt: {}: {}", called, in_words(model.caveats)));
  model.is_assumed = names.size() > 1;
  model.segments = fit_segments(*best);
  for (const auto& segment : model.segments) {
    constexpr double poor_percent = 25;
    if (segment.residual_percent > poor_percent)
      notes.push_back(
          fmt::format("fitted badly: {}: the line misses what was measured by {:.0f} %; measure more sizes, at "
                      "least four on each side of where it bends",
                      called, segment.residual_percent));
  }
  if (model.segments.front().alpha_us <= 0 && !is_point_to_point(model.collective))
    notes.push_back(fmt::format(
        "no alpha: {}: the measured sizes do not determine it, so predictions for more ranks leave out the time "
        "of their steps; measure smaller sizes as well",
        called));
  model.from_bytes = *sizes.begin();
  model.to_bytes = *sizes.rbegin();
  model.ranks.assign(ranks_seen.begin(), ranks_seen.end());
  model.launches = static_cast<int>(runs.size());
  model.run_ids.assign(runs.begin(), runs.end());
  if (!times.empty()) model.first_utc = *times.begin(), model.last_utc = *times.rbegin();
  model.by_size = held_out(
      *best, [](const Observation& each) { return each.size_bytes; }, 3);
  model.by_ranks = held_out(
      *best, [](const Observation& each) { return each.ranks; }, 2);
  return model;
}

/// Groups at once count by their row of all: a step waits for the slowest, and groups of a kind have one model.
std::vector<std::size_t> without_single_groups(const Table& table, const std::vector<std::size_t>& rows) {
  auto some = rows;
  if (!table.has("groups") || !table.has("members")) return some;
  const auto &groups = table.text("groups"), &members = table.text("members");
  std::erase_if(some, [&](auto row) { return !groups[row].empty() && !members[row].empty(); });
  return some;
}

}  // namespace

Fit fit_results(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string>& notes) {
  const auto columns = model_columns(table);
  auto with_sizes = columns;
  with_sizes.insert(with_sizes.end(), {"ranks", "nodes", "size_bytes", "network"});
  const auto network_at = with_sizes.size() - 1;
  const Groups groups(table, without_single_groups(table, rows), with_sizes);
  std::map<std::vector<std::uint32_t>, std::map<std::string, std::vector<const Group*>>> models;
  for (const auto& group : groups.groups()) {
    if (groups.value(group, collective_at) == name(LinkTest::burst)) continue;
    std::vector<std::uint32_t> key(group.key.begin(), group.key.begin() + static_cast<std::ptrdiff_t>(columns.size()));
    key.push_back(static_cast<std::uint32_t>(describe(table, groups, group, columns.size()).ranks_per_node));
    models[std::move(key)][groups.value(group, network_at)].push_back(&group);
  }

  Fit fit;
  fit.bursts = bursts_in(table, rows, notes);
  for (auto& [key, networks] : models) {
    // Rows that do not know their network (METHOD.md) belong to the network of the others, if there is only one.
    const auto silent = networks.extract("");
    if (networks.empty() && !silent.empty()) networks[""];
    if (networks.size() == 1 && !silent.empty()) {
      auto& only = networks.begin()->second;
      only.insert(only.end(), silent.mapped().begin(), silent.mapped().end());
    } else if (!silent.empty()) {
      notes.push_back(fmt::format("not fitted: {} groups of {} do not tell which of {} networks they crossed",
                                  silent.mapped().size(), thing_of(table, silent.mapped().front()->rows.front()),
                                  networks.size()));
    }
    for (const auto& [network, some] : networks) {
      if (auto model = fit_model(table, groups, columns.size(), network, some, notes))
        fit.models.push_back(*std::move(model));
    }
  }
  return fit;
}

std::vector<Checked> check(const Fit& fit, const Table& table, const std::vector<std::size_t>& rows) {
  const auto columns = model_columns(table);
  auto with_sizes = columns;
  with_sizes.insert(with_sizes.end(), {"ranks", "nodes", "size_bytes", "network"});
  const auto network_at = with_sizes.size() - 1;
  const Groups groups(table, without_single_groups(table, rows), with_sizes);
  std::vector<Checked> all;
  for (const auto& group : groups.groups()) {
    if (groups.value(group, collective_at) == name(LinkTest::burst)) continue;
    const auto wanted = describe(table, groups, group, columns.size());
    const auto is_it = [&](const FitModel& model) {
      const auto same = [](const FitModel& m) {
        return std::tie(m.transport, m.memory, m.collective, m.datatype, m.op, m.timing, m.settings, m.in_place,
                        m.ranks_per_node);
      };
      const auto& network = groups.value(group, network_at);
      return same(model) == same(wanted) && (network.empty() || network == model.network) &&
             (model.is_assumed || wanted.algorithm.empty() || model.algorithm == wanted.algorithm);
    };
    const auto model = std::find_if(fit.models.begin(), fit.models.end(), is_it);
    const auto row = group.rows.front();
    const auto ranks = static_cast<int>(table.number("ranks")[row]);
    const auto size = static_cast<std::uint64_t>(table.number("size_bytes")[row]);
    Checked checked{fmt::format("{} {}", wanted.transport, thing_of(table, row)), size, median(group.times_us), {}};
    if (model != fit.models.end()) checked.prediction = predict(*model, size, ranks);
    all.push_back(std::move(checked));
  }
  return all;
}

}  // namespace ringmark::analysis
