#include "analysis/fit_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/caveats.hpp"
#include "analysis/fit_groups.hpp"
#include "base/text_table.hpp"
#include "base/transport.hpp"
#include "base/units.hpp"
#include "replay/predict/network.hpp"
#include "results/statistics.hpp"

namespace ringmark::analysis {
namespace {

struct Measured {
  replay::Event event;
  int ranks, nodes;
  double time_us;

  int ranks_per_node() const { return ranks / nodes; }
};

/// What is fitted, as logarithms.
enum Figure : std::size_t { alpha_at, GBps_at, launch_at, figures };
using Figures = std::array<double, figures>;

/// Of Simple, from NCCL's own tuning model.
constexpr double usual_launch_us = 8.4, launch_spread = 0.3;
constexpr double noticeably_worse = 4;  ///< of the sum of squares in that spread
constexpr double usual_spread = 0.05;   ///< of a time around the right figures, as a logarithm

double median_of_errors(const std::vector<Measured>& some, const std::function<double(const Measured&)>& time_us) {
  std::vector<double> errors;
  for (const auto& each : some) errors.push_back(std::abs(time_us(each) / each.time_us - 1));
  std::sort(errors.begin(), errors.end());
  return median(errors);
}

/// Finds the figures of one kind of links by a search along each figure in ever smaller steps.
class LinkFit {
 public:
  using LinksOf = std::function<replay::Links(const replay::Link&, double launch_us)>;

  LinkFit(const std::vector<Measured>& some, LinksOf links_of, std::optional<double> launch_us)
      : some_(some), links_of_(std::move(links_of)), launch_is_known_(launch_us.has_value()) {
    constexpr double initial_alpha_us = 5, first_step = 0.5;
    double least = std::numeric_limits<double>::infinity();
    for (const double initial_GBps : {10.0, 100.0, 1000.0}) {
      const auto found =
          search({std::log(initial_alpha_us), std::log(initial_GBps), std::log(launch_us.value_or(usual_launch_us))},
                 first_step);
      if (badness(found) < least) least = badness(figures_ = found);
    }
    take_larger_GBps(least);
  }

  double launch_us() const { return std::exp(figures_[launch_at]); }
  replay::Link link() const { return {std::exp(figures_[alpha_at]), std::exp(figures_[GBps_at])}; }
  /// An alpha that could as well be much smaller or larger is not shown.
  FitLink fitted() const {
    FitLink result{.alpha_us = {}, .GBps = link().GBps};
    constexpr double much = 0.7;
    const auto moved = [&](double by) {
      auto others = figures_;
      others[alpha_at] += by;
      return badness(others) - badness(figures_);
    };
    if (std::min(moved(-much), moved(much)) > noticeably_worse) result.alpha_us = link().alpha_us;
    return result;
  }
  double time_us(const Measured& each, const Figures& at) const {
    auto links = links_of_({std::exp(at[alpha_at]), std::exp(at[GBps_at])}, std::exp(at[launch_at]));
    links.ranks_per_node = each.ranks_per_node();
    links.has_LL128_between = true;
    return replay::make_network(links)->time(each.event, {}, each.ranks).total_us;
  }
  double time_us(const Measured& each) const { return time_us(each, figures_); }

 private:
  /// Squares of residuals in their usual spread, outliers by their distance alone (Huber).
  double badness(const Figures& at) const {
    constexpr double far = 2.5;
    // Of bandwidths that explain the times alike, since another link is slower, the smallest.
    constexpr double weight_of_size = 0.01;
    double sum =
        std::pow((at[launch_at] - std::log(usual_launch_us)) / launch_spread, 2) + weight_of_size * at[GBps_at];
    for (const auto& each : some_) {
      const double off = std::abs(std::log(time_us(each, at) / each.time_us)) / usual_spread;
      sum += off <= far ? off * off : far * (2 * off - far);
    }
    return sum;
  }

  /// Downhill from there, along one figure after another.
  Figures search(Figures figures, double step) const {
    double least = badness(figures);
    const auto moves = [&](std::size_t figure, double by) {
      auto others = figures;
      others[figure] += by;
      const double badness_there = badness(others);
      if (badness_there >= least) return false;
      least = badness_there;
      figures = others;
      return true;
    };
    for (constexpr double last_step = 1e-3; step > last_step; step /= 2) {
      for (bool is_better = true; is_better;) {
        is_better = false;
        for (std::size_t figure = 0; figure < (launch_is_known_ ? launch_at : figures_.size()); ++figure)
          is_better |= moves(figure, step) || moves(figure, -step);
      }
    }
    return figures;
  }

  /// Two nodes may be as fast by a tree over a slower network as by a ring over a faster one. The larger bandwidth is
  /// taken if it explains the times about as well, but not one that limits nothing.
  void take_larger_GBps(double least) {
    constexpr int steps = 22;
    constexpr double step = 0.05;  // up to three times as much
    const auto with = [&](int more) {
      auto others = figures_;
      others[GBps_at] += more * step;
      return others;
    };
    const auto is_alike = [&](int more) { return badness(with(more)) < least + noticeably_worse; };
    if (is_alike(steps)) return;
    int more = steps - 1;
    while (more > 0 && !is_alike(more)) --more;
    figures_ = search(with(more), step / 2);
  }

  const std::vector<Measured>& some_;
  LinksOf links_of_;
  bool launch_is_known_;
  Figures figures_{};
};

/// The rows of one network and setting.
struct Set {
  std::vector<Measured> on_one_node, on_several;
  std::set<std::uint64_t> sizes;
  std::set<std::string> runs;
  std::vector<Caveat> caveats;

  void add(const Table& table, const Group& group, const Measured& measured, std::uint64_t size) {
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

FitLinks links_of(const Set& set) {
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
    residual = median_of_errors(set.on_one_node, [&](const Measured& each) { return fit.time_us(each); });
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
    residual = median_of_errors(set.on_several, [&](const Measured& each) { return fit.time_us(each); });
  }
  links.run_ids.assign(set.runs.begin(), set.runs.end());
  links.caveats = set.caveats;
  links.launch_us = launch_us.value_or(0);
  links.nodes.assign(nodes.begin(), nodes.end());
  links.residual_percent = 100 * residual;
  if (!set.sizes.empty()) links.from_bytes = *set.sizes.begin(), links.to_bytes = *set.sizes.rbegin();
  return links;
}

/// Whether NCCL chose how to do it, and took an algorithm that is modelled, as far as the rows tell.
bool is_modelled(const FitModel& model) {
  constexpr std::array<std::string_view, 4> known{"", "ring", "tree", "pat"};
  return model.transport == name(Transport::nccl) &&
         std::find(known.begin(), known.end(), model.algorithm) != known.end() &&
         model.settings.find("NCCL_ALGO") == std::string::npos &&
         model.settings.find("NCCL_PROTO") == std::string::npos;
}

std::optional<Measured> measured_of(const Table& table, const FitGroups& groups, const Group& group,
                                    const FitModel& model) {
  const auto collective = parse_collective(model.collective);
  const auto type = parse_datatype(model.datatype);
  const double nodes = table.number("nodes")[group.rows.front()];
  const int ranks = groups.ranks(group);
  const bool is_by_ring = collective == Collective::all_reduce || (collective && is_sharded(*collective));
  if (!is_by_ring || !type || !(nodes >= 1) || ranks < 2) return std::nullopt;
  Measured measured{{}, ranks, static_cast<int>(nodes), median(group.times_us)};
  if (ranks % measured.nodes != 0) return std::nullopt;
  measured.event.kind = replay::EventKind::collective;
  measured.event.collective = *collective;
  measured.event.type = *type;
  measured.event.elements = std::max<std::uint64_t>(1, groups.size_bytes(group) / size_bytes(*type));
  return measured;
}

/// A tree crosses the network between two nodes once, so that an all_reduce may wait for the links within them.
void note_doubts(const Set& set, const FitLinks& links, std::vector<std::string>& notes) {
  const auto is_by_trees = [](const Measured& each) {
    return each.nodes == 2 && each.event.collective == Collective::all_reduce;
  };
  if (links.between && std::all_of(set.on_several.begin(), set.on_several.end(), is_by_trees))
    notes.push_back(
        "in doubt: the bandwidth between nodes: an all_reduce on two nodes may be as fast over a slower network; "
        "measure "
        "an all_gather as well, or four nodes");
  for (const auto& [link, where] : {std::pair(links.between, "between nodes"), std::pair(links.within, "within nodes")})
    if (link && !link->alpha_us)
      notes.push_back(
          fmt::format("no alpha {}: the measured sizes do not show it; measure smaller ones as well", where));
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
    auto links = links_of(set);
    std::tie(links.network, links.settings) = key;
    note_doubts(set, links, notes);
    if (links.between) all.push_back(std::move(links));
    nodes.erase(key.second);
  }
  for (auto& [settings, set] : nodes) {
    auto links = links_of(set);
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
      text += fmt::format(" {} of a node of {} ranks, each way;", shown(*links.between), links.ranks_per_node);
    if (links.within) text += fmt::format(" {} of a rank within its node;", shown(*links.within));
    text +=
        fmt::format(" {} us of a collective besides\n  from {} on {} node{}, {} to {}, which they miss by {:.1f} %\n",
                    short_number(links.launch_us), links.points == 1 ? "1 time" : fmt::format("{} times", links.points),
                    fmt::join(links.nodes, ", "), links.nodes.back() == 1 ? "" : "s", format_size(links.from_bytes),
                    format_size(links.to_bytes), links.residual_percent);
  }
  return text;
}

}  // namespace ringmark::analysis
