#include "replay/predict/simulate.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "replay/predict/flights.hpp"
#include "replay/predict/numbered.hpp"

namespace ringmark::replay {
namespace {

/// The coarsest partition of ranks into kinds, so that ranks of a kind have the same kinds in each of their groups.
std::vector<int> kinds_of(const StepTrace& trace, const Scene& scene) {
  const auto ranks = static_cast<std::size_t>(scene.ranks);
  std::vector<int> kinds(ranks);
  if (scene.jitter > 0) {
    std::iota(kinds.begin(), kinds.end(), 0);
    return kinds;
  }
  std::vector<double> factors(ranks, 1);
  for (const auto& [rank, factor] : scene.slow_down) factors[static_cast<std::size_t>(rank)] = factor;
  kinds = numbered(factors);
  // With a single kind and equal groups, ranks cannot be told apart.
  if (*std::max_element(kinds.begin(), kinds.end()) == 0) return kinds;
  for (;;) {
    std::vector<std::vector<int>> keys(ranks);  // by rank: its kind, and the composition of each of its groups
    for (std::size_t rank = 0; rank < ranks; ++rank) keys[rank].push_back(kinds[rank]);
    for (const auto& group : trace.groups) {
      if (group.kind == Group::Kind::world) continue;
      std::map<std::vector<int>, int> compositions;
      for (int rank = 0; rank < scene.ranks; ++rank) {
        if (group.first_member(rank) != rank) continue;
        const auto members = group.members(rank, scene.ranks);
        std::vector<int> kinds_in;
        for (const int member : members) kinds_in.push_back(kinds[static_cast<std::size_t>(member)]);
        std::sort(kinds_in.begin(), kinds_in.end());
        const int number = compositions.try_emplace(kinds_in, static_cast<int>(compositions.size())).first->second;
        for (const int member : members) keys[static_cast<std::size_t>(member)].push_back(number);
      }
    }
    auto finer = numbered(keys);
    if (finer == kinds) return kinds;
    kinds = std::move(finer);
  }
}

/// State of a rank's link.
struct LinkState {
  double busy_until_us = 0;
  double credit_us = 0;  ///< burst credit left at that time: it shortens the next collective
};

class Simulator {
 public:
  /// `links` are the states at the start of the step, by kind of rank; if empty, no link has credit.
  Simulator(const StepTrace& trace, const StepGraph& graph, const Scene& scene, Network& network,
            std::vector<LinkState> links)
      : trace_(trace),
        scene_(scene),
        network_(network),
        graph_(graph),
        random_(scene.seed),
        burst_us_(network.burst_us()) {
    const auto kinds = kinds_of(trace, scene);
    for (std::size_t rank = 0; rank < kinds.size(); ++rank) {
      if (kinds[rank] == static_cast<int>(representatives_.size())) representatives_.push_back(static_cast<int>(rank));
    }
    require_events(representatives_.size(), trace.events.size());
    for (const auto& group : trace.groups) {
      auto& of_group = groups_.emplace_back(representatives_.size());
      if (group.kind == Group::Kind::world) continue;
      for (std::size_t kind = 0; kind < representatives_.size(); ++kind) {
        auto& kinds_in = of_group[kind];
        for (const int member : group.members(representatives_[kind], scene.ranks))
          kinds_in.push_back(kinds[static_cast<std::size_t>(member)]);
        std::sort(kinds_in.begin(), kinds_in.end());
        kinds_in.erase(std::unique(kinds_in.begin(), kinds_in.end()), kinds_in.end());
      }
    }
    links_ = std::move(links);
    links_.resize(representatives_.size());
    flights_.resize(representatives_.size());
    lines_.resize(representatives_.size());
    for (auto& line : lines_) {
      line.begin_us.resize(trace.events.size());
      line.end_us.resize(trace.events.size());
    }
  }

  /// After run(): the links' states at the start of the next step.
  std::vector<LinkState> links_at_end(double total_us) const {
    auto links = links_;
    for (auto& link : links) link.busy_until_us -= total_us;
    return links;
  }

  Simulation run() {
    for (std::size_t event = 0; event < trace_.events.size(); ++event) play(event);
    Simulation result;
    // Choose the rank for which others wait: if the last collective includes all ranks, they all end together.
    std::size_t slowest = 0;
    for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
      auto& line = lines_[kind];
      line.total_us = line.end_us.empty() ? 0 : *std::max_element(line.end_us.begin(), line.end_us.end());
      result.total_us.push_back(line.total_us);
      const auto rank_of = [&](std::size_t each) { return std::pair(waited_for(each), lines_[each].total_us); };
      if (rank_of(kind) > rank_of(slowest)) slowest = kind;
    }
    result.slowest_rank = representatives_[slowest];
    result.timeline = std::move(lines_[slowest]);
    result.timeline.total_us = *std::max_element(result.total_us.begin(), result.total_us.end());
    result.entry_skew_us = collectives_ > 0 ? skew_us_ / collectives_ : 0;
    result.waited_for = waited_for_;
    return result;
  }

 private:
  void play(std::size_t event) {
    const auto& what = trace_.events[event];
    const auto kinds = lines_.size();
    auto& ready = ready_us_;
    ready.assign(kinds, 0);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (const int before : graph_.before[event])
        ready[kind] = std::max(ready[kind], lines_[kind].end_us[static_cast<std::size_t>(before)]);
    }
    if (what.kind == EventKind::collective) return meet(event, what, ready);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      lines_[kind].begin_us[event] = ready[kind];
      const double end_us = ready[kind] + scene_.durations_us[event] * factor(kind);
      lines_[kind].end_us[event] = end_us + scene_.contention * flights_[kind].within(ready[kind], end_us);
    }
  }

  double factor(std::size_t kind) {
    const auto found = scene_.slow_down.find(representatives_[kind]);
    const double slow = found == scene_.slow_down.end() ? 1 : found->second;
    return scene_.jitter > 0 ? slow * (1 + std::exponential_distribution<double>(1 / scene_.jitter)(random_)) : slow;
  }

  void meet(std::size_t event, const Event& what, const std::vector<double>& ready) {
    const auto& group = trace_.group_of(what);
    const auto time = network_.time(what, group, scene_.ranks);
    const auto [first, last] = std::minmax_element(ready.begin(), ready.end());
    auto& starts_us = starts_us_;
    starts_us.resize(lines_.size());
    for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
      starts_us[kind] = group.kind == Group::Kind::world ? *last : 0;
      for (const int member : groups_[static_cast<std::size_t>(what.group)][kind])
        starts_us[kind] = std::max(starts_us[kind], ready[static_cast<std::size_t>(member)]);
      lines_[kind].begin_us[event] = ready[kind];
      lines_[kind].end_us[event] = starts_us[kind] + time.total_us;
      if (scene_.contention > 0) flights_[kind].add(starts_us[kind], lines_[kind].end_us[event]);
    }
    if (burst_us_ > 0 && time.is_between_hosts) shorten(event, what, time.bytes_us, starts_us);
    if (group.kind != Group::Kind::world) return;
    skew_us_ += *last - *first;
    ++collectives_;
    if (*last - *first > noticeable_skew_us)
      ++waited_for_[representatives_[static_cast<std::size_t>(last - ready.begin())]];
  }

  /// Shortens a collective's bytes by the burst credit of its links; the link with the least credit decides.
  void shorten(std::size_t event, const Event& what, double bytes_us, const std::vector<double>& starts_us) {
    const bool is_of_all = trace_.group_of(what).kind == Group::Kind::world;
    std::vector<double> credits_us;
    for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
      const auto& link = links_[kind];
      const double idle_us = std::max(0.0, starts_us[kind] - link.busy_until_us);
      credits_us.push_back(std::min(burst_us_, link.credit_us + idle_us));
    }
    const double least_us = *std::min_element(credits_us.begin(), credits_us.end());
    for (std::size_t kind = 0; kind < lines_.size(); ++kind) {
      double taken_us = is_of_all ? least_us : burst_us_;
      for (const int member : groups_[static_cast<std::size_t>(what.group)][kind])
        taken_us = std::min(taken_us, credits_us[static_cast<std::size_t>(member)]);
      taken_us = std::min(taken_us, bytes_us);
      auto& end_us = lines_[kind].end_us[event];
      end_us -= taken_us;
      links_[kind] = {std::max(links_[kind].busy_until_us, end_us), credits_us[kind] - taken_us};
    }
  }

  int waited_for(std::size_t kind) const {
    const auto found = waited_for_.find(representatives_[kind]);
    return found == waited_for_.end() ? 0 : found->second;
  }

  const StepTrace& trace_;
  const Scene& scene_;
  Network& network_;
  const StepGraph& graph_;
  std::mt19937_64 random_;
  double burst_us_;
  std::vector<int> representatives_;  ///< a rank of each kind
  std::vector<std::vector<std::vector<int>>>
      groups_;  ///< by group and kind: the kinds that take part; empty for groups of all ranks
  std::vector<Timeline> lines_;
  std::vector<LinkState> links_;              ///< by kind
  std::vector<Flights> flights_;              ///< by kind
  std::vector<double> ready_us_, starts_us_;  ///< of the current event, by kind: itself, and all of its group
  double skew_us_ = 0;
  int collectives_ = 0;
  std::map<int, int> waited_for_;
};

}  // namespace

void require_events(std::size_t different_ranks, std::size_t events_each) {
  constexpr std::size_t most_bytes = std::size_t{700} << 20U;
  const auto needed = different_ranks * events_each * 2 * sizeof(double);
  if (needed > most_bytes)
    throw BadUsage(
        fmt::format("{} different ranks with {} events each need {} MiB; predict fewer ranks, or without "
                    "--jitter",
                    different_ranks, events_each, needed >> 20U));
}

Simulation simulate(const StepTrace& trace, const Scene& scene, Network& network) {
  return simulate(trace, graph_of(trace), scene, network);
}

Simulation simulate(const StepTrace& trace, const StepGraph& graph, const Scene& scene, Network& network) {
  Simulator first(trace, graph, scene, network, {});
  auto simulation = first.run();
  if (network.burst_us() == 0) return simulation;
  // Run again with the links' states at the end of a step, since steps follow each other.
  return Simulator(trace, graph, scene, network, first.links_at_end(simulation.timeline.total_us)).run();
}

}  // namespace ringmark::replay
