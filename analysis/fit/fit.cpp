#include "analysis/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/fit/burst.hpp"
#include "analysis/fit/fit_groups.hpp"
#include "analysis/fit/fit_links.hpp"
#include "analysis/fit/segments.hpp"
#include "analysis/table/caveats.hpp"
#include "base/operation.hpp"
#include "base/transport.hpp"
#include "base/units.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/moved_bytes.hpp"

namespace ringmark::analysis {
namespace {

/// The algorithm in the model's name, or those that the library could have run if it did not report one.
std::vector<std::string> candidates(const std::string& transport, const std::string& collective,
                                    const std::string& reported) {
  if (is_point_to_point(collective)) return {"direct"};
  if (!reported.empty()) return {reported};
  const auto known = parse_collective(collective);
  if (transport == name(Transport::nccl) && known == Collective::all_reduce) return {"ring", "tree"};
  // NCCL runs PAT only where each node has one GPU, and its tables do not report the nodes.
  if (transport == name(Transport::nccl) && known && is_sharded(*known)) return {"ring"};
  std::vector<std::string> names;
  if (known) {
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

/// The sizes, ranks and runs over which groups were measured.
struct Coverage {
  std::set<std::uint64_t> sizes;
  std::set<int> ranks;
  std::set<std::string> runs, times;

  Coverage(const Table& table, const FitGroups& groups, const std::vector<const Group*>& some) {
    for (const auto* group : some) {
      sizes.insert(groups.size_bytes(*group));
      ranks.insert(groups.ranks(*group));
      for (const auto each : group->rows) {
        runs.insert(table.text("run_id")[each]);
        if (const auto& time = table.text("time_utc")[each]; !time.empty()) times.insert(time);
      }
    }
  }

  void tell(FitModel& model) const {
    model.from_bytes = *sizes.begin();
    model.to_bytes = *sizes.rbegin();
    model.ranks.assign(ranks.begin(), ranks.end());
    model.launches = static_cast<int>(runs.size());
    model.run_ids.assign(runs.begin(), runs.end());
    if (!times.empty()) model.first_utc = *times.begin(), model.last_utc = *times.rbegin();
  }
};

/// The observations under the schedule that fits them best, which becomes model.algorithm; nothing if no schedule
/// applies.
std::optional<Observations> by_best_schedule(const Table& table, const std::vector<const Group*>& some,
                                             const std::vector<std::string>& names, FitModel& model) {
  std::optional<Observations> best;
  double least = 0;
  for (const auto& name : names) {
    auto all = observe(some, table, model.collective, name, model.ranks_per_node);
    if (!all) continue;
    const double squares = squares_left(*all);
    if (best && squares >= least) continue;
    least = squares;
    best = std::move(all);
    model.algorithm = name;
  }
  return best;
}

/// `called` names the model in the notes.
void note_doubts(const FitModel& model, const std::string& called, std::vector<std::string>& notes) {
  if (forbid_decision(model.caveats)) notes.push_back(fmt::format("in doubt: {}: {}", called, in_words(model.caveats)));
  for (const auto& segment : model.segments) {
    constexpr double poor_percent = 25;
    if (segment.residual_percent > poor_percent)
      notes.push_back(
          fmt::format("fitted badly: {}: the line misses the measured times by {:.0f} %; measure more sizes, at least "
                      "four on each side of a bend",
                      called, segment.residual_percent));
  }
  if (model.segments.front().alpha_us <= 0 && !is_point_to_point(model.collective))
    notes.push_back(
        fmt::format("no alpha: {}: the measured sizes do not determine it, so predictions for more ranks omit the time "
                    "per step; measure smaller sizes as well",
                    called));
}

/// The model of groups that differ only in ranks and size; nothing, with a note, if there is none.
std::optional<FitModel> fit_model(const Table& table, const FitGroups& groups, const std::string& network,
                                  const std::vector<const Group*>& some, std::vector<std::string>& notes) {
  const auto& any = *some.front();
  auto model = groups.describe(any);
  model.network = network;
  for (const auto* group : some) merge(model.caveats, caveats_of(table, group->rows));
  const auto algorithm = model.algorithm;
  const auto called =
      fmt::format("{} {}{}{}", model.transport, groups.name_of(any), algorithm.empty() ? "" : " by ", algorithm);
  const Coverage coverage(table, groups, some);
  if (coverage.sizes.size() < 2) {
    notes.push_back(fmt::format("not fitted: {}: alpha and beta cannot be separated from a single size", called));
    return std::nullopt;
  }
  const auto names = candidates(model.transport, model.collective, algorithm);
  const auto best = by_best_schedule(table, some, names, model);
  if (!best) {
    notes.push_back(fmt::format("not fitted: {}: no schedule of '{}' runs on this number of ranks", called,
                                fmt::join(names, ", ")));
    return std::nullopt;
  }
  model.is_assumed = names.size() > 1;
  model.segments = fit_segments(*best);
  note_doubts(model, called, notes);
  coverage.tell(model);
  model.by_size = held_out(
      *best, [](const Observation& each) { return each.size_bytes; }, 3);
  model.by_ranks = held_out(
      *best, [](const Observation& each) { return each.ranks; }, 2);
  return model;
}

}  // namespace

Fit fit_results(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string>& notes) {
  const FitGroups groups(table, rows);
  std::map<std::vector<std::uint32_t>, std::map<std::string, std::vector<const Group*>>> models;
  for (const auto* group : groups.all()) models[groups.model_of(*group)][groups.network_of(*group)].push_back(group);

  Fit fit;
  fit.bursts = bursts_in(table, rows, notes);
  fit.links = fit_links(table, rows, notes);
  for (auto& [key, networks] : models) {
    // Rows whose network is unknown (docs/method/path-proof.md) are assigned to the network of the others, if there is
    // only one.
    const auto silent = networks.extract("");
    if (networks.empty() && !silent.empty()) networks[""];
    if (networks.size() == 1 && !silent.empty()) {
      auto& only = networks.begin()->second;
      only.insert(only.end(), silent.mapped().begin(), silent.mapped().end());
    } else if (!silent.empty()) {
      notes.push_back(fmt::format("not fitted: {} groups of {} do not report which of {} networks they crossed",
                                  silent.mapped().size(), groups.name_of(*silent.mapped().front()), networks.size()));
    }
    for (const auto& [network, some] : networks) {
      if (auto model = fit_model(table, groups, network, some, notes)) fit.models.push_back(*std::move(model));
    }
  }
  return fit;
}

std::vector<Checked> check(const Fit& fit, const Table& table, const std::vector<std::size_t>& rows) {
  const FitGroups groups(table, rows);
  std::vector<Checked> all;
  for (const auto* group : groups.all()) {
    const auto wanted = groups.describe(*group);
    const auto is_it = [&](const FitModel& model) {
      const auto same = [](const FitModel& m) {
        return std::tie(m.transport, m.memory, m.collective, m.datatype, m.op, m.timing, m.settings, m.in_place,
                        m.ranks_per_node);
      };
      const auto& network = groups.network_of(*group);
      return same(model) == same(wanted) && (network.empty() || network == model.network) &&
             (model.is_assumed || wanted.algorithm.empty() || model.algorithm == wanted.algorithm);
    };
    const auto model = std::find_if(fit.models.begin(), fit.models.end(), is_it);
    const auto size = groups.size_bytes(*group);
    Checked checked{fmt::format("{} {}", wanted.transport, groups.name_of(*group)), size, median(group->times_us), {}};
    if (model != fit.models.end()) checked.prediction = predict(*model, size, groups.ranks(*group));
    all.push_back(std::move(checked));
  }
  return all;
}

}  // namespace ringmark::analysis
