#include "analysis/fit/fit_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/fit/fit_groups.hpp"
#include "analysis/fit/link_fit.hpp"
#include "analysis/table/caveats.hpp"
#include "base/text/text_table.hpp"
#include "base/transport.hpp"
#include "base/units.hpp"
#include "replay/predict/plausible.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {
namespace {

/// The rows of one network and setting.
struct Set {
  std::vector<MeasuredCollective> on_one_node, on_several;
  std::set<std::uint64_t> sizes;
  std::set<std::string> runs;
  std::vector<Caveat> caveats;

  void add(const Table& table, const Group& group, const MeasuredCollective& measured, std::uint64_t size) {
    (measured.nodes == 1 ? on_one_node : on_several).push_back(measured);
    sizes.insert(size);
    for (const auto row : group.rows) runs.insert(table.text("run_id")[row]);
    merge(caveats, caveats_of(table, group.rows));
  }
  void add_node(const Set& alone) {
    on_one_node = alone.on_one_node;
    sizes.insert(alone.sizes.begin(), alone.sizes.end());
    runs.insert(alone.runs.begin(), alone.runs.end());
    merge(caveats, alone.caveats);
  }
};

constexpr std::size_t fewest_rows = 4;

/// Warns of a fit that misses the times it was made from, and lists the collectives that it predicts too fast or too
/// slow.
void warn_of_misses(const LinkFit& fit, const std::string& where, std::vector<std::string>& notes) {
  if (100 * fit.median_error() <= replay::most_miss_percent) return;
  std::string misses;
  int collectives = 0;
  for (const auto each : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
    const auto miss = fit.median_miss(each);
    if (!miss) continue;
    misses += fmt::format("{}{} {:.0f} % too {}", misses.empty() ? "" : ", ", name(each), 100 * std::abs(*miss),
                          *miss < 0 ? "fast" : "slow");
    ++collectives;
  }
  notes.push_back(fmt::format(
      "WARNING: the fit of NCCL's links {} misses its own measurements by {:.0f} % (median): {}; {}", where,
      100 * fit.median_error(), misses,
      collectives > 1
          ? "no single alpha and bandwidth explain them all: fit only the collectives of your steps (all_reduce "
            "for DDP and ZeRO 0 to 2, all_gather and reduce_scatter for ZeRO 3 and FSDP)"
          : "measure again on idle nodes, with more sizes, and look for other traffic or settings that changed"));
}

/// Warns of links faster than those of any common node.
void warn_of_speed(const FitLinks& links, std::vector<std::string>& notes) {
  constexpr double most_adapter_GBps = 50, noise = 1.05;  // 400 Gbit/s
  const double usual = most_adapter_GBps * links.ranks_per_node;
  if (!links.between || links.between->GBps <= noise * usual) return;
  notes.push_back(
      fmt::format("WARNING: NCCL's links: {} GB/s per node is more than a 400 Gbit/s adapter for each of its {} ranks, "
                  "{} GB/s; unless its adapters are faster, measure all_gather on four or more nodes, up to 8 GiB",
                  short_number(links.between->GBps), links.ranks_per_node, short_number(usual)));
}

FitLinks links_of(const Set& set, std::vector<std::string>& notes) {
  FitLinks links;
  std::optional<replay::Link> within;
  std::optional<double> launch_us;
  double residual = 0;
  std::set<int> nodes;
  if (set.on_one_node.size() >= fewest_rows) {
    const LinkFit fit(set.on_one_node,
                      [](const replay::Link& link, double launch) {
                        return replay::Links{
                            .between = link, .within = link, .transport = Transport::nccl, .launch_us = launch};
                      },
                      {});
    links.within = fit.fitted();
    within = fit.link();
    launch_us = fit.launch_us();
    nodes.insert(1);
    links.ranks_per_node = set.on_one_node.front().ranks;
    links.points = static_cast<int>(set.on_one_node.size());
    residual = fit.median_error();
    warn_of_misses(fit, "within nodes", notes);
  }
  if (set.on_several.size() >= fewest_rows) {
    const LinkFit fit(
        set.on_several,
        [&](const replay::Link& link, double launch) {
          return replay::Links{.between = link,
                               .within = within.value_or(replay::assumed_within(link)),
                               .transport = Transport::nccl,
                               .launch_us = launch};
        },
        launch_us);
    links.between = fit.fitted();
    launch_us = fit.launch_us();
    for (const auto& each : set.on_several) nodes.insert(each.nodes);
    links.ranks_per_node = set.on_several.front().ranks_per_node();
    links.points = static_cast<int>(set.on_several.size());
    residual = fit.median_error();
    warn_of_misses(fit, "between nodes", notes);
  }
  links.run_ids.assign(set.runs.begin(), set.runs.end());
  links.caveats = set.caveats;
  links.launch_us = launch_us.value_or(0);
  links.nodes.assign(nodes.begin(), nodes.end());
  links.residual_percent = 100 * residual;
  if (!set.sizes.empty()) links.from_bytes = *set.sizes.begin(), links.to_bytes = *set.sizes.rbegin();
  return links;
}

/// Whether NCCL chose algorithm and protocol itself, and the algorithm is unknown or one that is modelled.
bool is_modelled(const FitModel& model) {
  constexpr std::array<std::string_view, 4> known{"", "ring", "tree", "pat"};
  return model.transport == name(Transport::nccl) &&
         std::find(known.begin(), known.end(), model.algorithm) != known.end() &&
         model.settings.find("NCCL_ALGO") == std::string::npos &&
         model.settings.find("NCCL_PROTO") == std::string::npos;
}

std::optional<MeasuredCollective> measured_of(const Table& table, const FitGroups& groups, const Group& group,
                                              const FitModel& model) {
  const auto collective = parse_collective(model.collective);
  const auto type = parse_datatype(model.datatype);
  const double nodes = table.number("nodes")[group.rows.front()];
  const int ranks = groups.ranks(group);
  const bool is_by_ring = collective == Collective::all_reduce || (collective && is_sharded(*collective));
  if (!is_by_ring || !type || !(nodes >= 1) || ranks < 2) return std::nullopt;
  MeasuredCollective measured{{}, ranks, static_cast<int>(nodes), median(group.times_us)};
  if (ranks % measured.nodes != 0) return std::nullopt;
  measured.event.kind = replay::EventKind::collective;
  measured.event.collective = *collective;
  measured.event.type = *type;
  measured.event.elements = std::max<std::uint64_t>(1, groups.size_bytes(group) / size_bytes(*type));
  return measured;
}

/// A tree crosses the network between two nodes once, so that an all_reduce may wait for the links within them.
void note_doubts(const Set& set, const FitLinks& links, std::vector<std::string>& notes) {
  const auto is_by_trees = [](const MeasuredCollective& each) {
    return each.nodes == 2 && each.event.collective == Collective::all_reduce;
  };
  if (links.between && std::all_of(set.on_several.begin(), set.on_several.end(), is_by_trees))
    notes.push_back(
        "in doubt: the bandwidth between nodes: an all_reduce on two nodes may be as fast over a slower network; "
        "also measure an all_gather, or four nodes");
  for (const auto& [link, where] : {std::pair(links.between, "between nodes"), std::pair(links.within, "within nodes")})
    if (link && !link->alpha_us) notes.push_back(replay::why_no_alpha(links, where));
  warn_of_speed(links, notes);
}

}  // namespace

std::vector<FitLinks> fit_links(const Table& table, const std::vector<std::size_t>& rows,
                                std::vector<std::string>& notes) {
  const FitGroups groups(table, rows);
  using Key = std::pair<std::string, std::string>;  // network and settings
  std::map<Key, Set> sets;
  std::map<std::string, Set> nodes;  // by settings
  for (const auto* group : groups.all()) {
    const auto model = groups.describe(*group);
    if (!is_modelled(model)) continue;
    const auto measured = measured_of(table, groups, *group, model);
    if (!measured) continue;
    auto& set = measured->nodes == 1 ? nodes[model.settings] : sets[{groups.network_of(*group), model.settings}];
    set.add(table, *group, *measured, groups.size_bytes(*group));
  }
  std::vector<FitLinks> all;
  for (auto& [key, set] : sets) {
    set.add_node(nodes[key.second]);
    auto links = links_of(set, notes);
    std::tie(links.network, links.settings) = key;
    note_doubts(set, links, notes);
    if (links.between) all.push_back(std::move(links));
    nodes.erase(key.second);
  }
  for (auto& [settings, set] : nodes) {
    auto links = links_of(set, notes);
    links.settings = settings;
    note_doubts(set, links, notes);
    if (links.within) all.push_back(std::move(links));
  }
  return all;
}

std::string print(const std::vector<FitLinks>& all) {
  std::string text;
  const auto shown = [](const FitLink& link) {
    return fmt::format("{} and {} GB/s", link.alpha_us ? short_number(*link.alpha_us) + " us" : "an unknown alpha",
                       short_number(link.GBps));
  };
  for (const auto& links : all) {
    text += fmt::format("NCCL's links{}{}:", links.network.empty() ? "" : " over " + links.network,
                        links.settings.empty() ? "" : " with " + links.settings);
    if (links.between)
      text += fmt::format(" {} per node of {} ranks, each way;", shown(*links.between), links.ranks_per_node);
    if (links.within) text += fmt::format(" {} per rank within its node;", shown(*links.within));
    text += fmt::format(
        " plus {} us per collective\n  fitted to {} on {} node{}, {} to {}, with a median error of {:.1f} %\n",
        short_number(links.launch_us), links.points == 1 ? "1 time" : fmt::format("{} times", links.points),
        fmt::join(links.nodes, ", "), links.nodes.back() == 1 ? "" : "s", format_size(links.from_bytes),
        format_size(links.to_bytes), links.residual_percent);
  }
  return text;
}

}  // namespace ringmark::analysis
