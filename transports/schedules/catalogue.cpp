#include "transports/schedules/catalogue.hpp"

#include <algorithm>
#include <array>

#include "transports/schedules/binomial_tree.hpp"
#include "transports/schedules/bruck.hpp"
#include "transports/schedules/chain.hpp"
#include "transports/schedules/direct.hpp"
#include "transports/schedules/gather_scatter.hpp"
#include "transports/schedules/halving_doubling.hpp"
#include "transports/schedules/pairwise.hpp"
#include "transports/schedules/recursive_doubling.hpp"
#include "transports/schedules/ring.hpp"
#include "transports/schedules/two_level.hpp"
#include "transports/schedules/two_level_exchange.hpp"
#include "transports/schedules/two_phases.hpp"

namespace ringmark {
namespace {

struct Kind {
  int root;
  Pattern pattern;
};

struct Entry {
  Collective collective;
  std::string_view algorithm;
  std::unique_ptr<Schedule> (*make)(const Topology& topology, Kind kind);
};

template <std::unique_ptr<Schedule> (*make)(int ranks)>
std::unique_ptr<Schedule> flat(const Topology& topology, Kind /*kind*/) {
  return make(topology.ranks());
}
template <std::unique_ptr<Schedule> (*make)(int ranks, int root)>
std::unique_ptr<Schedule> rooted(const Topology& topology, Kind kind) {
  return make(topology.ranks(), kind.root);
}
std::unique_ptr<Schedule> two_level(const Topology& topology, Kind /*kind*/) { return two_level_all_reduce(topology); }
std::unique_ptr<Schedule> two_level_exchange(const Topology& topology, Kind /*kind*/) {
  return two_level_all_to_all(topology);
}
std::unique_ptr<Schedule> direct(const Topology& topology, Kind kind) {
  return direct_send_recv(topology.ranks(), kind.pattern);
}

constexpr std::array catalogue{
    Entry{Collective::all_reduce, "ring", flat<ring_all_reduce>},
    Entry{Collective::all_reduce, "recursive_doubling", flat<recursive_doubling_all_reduce>},
    Entry{Collective::all_reduce, "halving_doubling", flat<halving_doubling_all_reduce>},
    Entry{Collective::all_reduce, "binomial_tree", flat<binomial_tree_all_reduce>},
    Entry{Collective::all_reduce, "two_level", two_level},
    Entry{Collective::reduce_scatter, "ring", flat<ring_reduce_scatter>},
    Entry{Collective::reduce_scatter, "recursive_halving", flat<recursive_halving_reduce_scatter>},
    Entry{Collective::all_gather, "ring", flat<ring_all_gather>},
    Entry{Collective::all_gather, "recursive_doubling", flat<recursive_doubling_all_gather>},
    Entry{Collective::all_gather, "bruck", flat<bruck_all_gather>},
    Entry{Collective::reduce, "binomial_tree", rooted<binomial_tree_reduce>},
    Entry{Collective::reduce, "reduce_scatter_gather", rooted<reduce_scatter_gather_reduce>},
    Entry{Collective::reduce, "chain", rooted<chain_reduce>},
    Entry{Collective::broadcast, "binomial_tree", rooted<binomial_tree_broadcast>},
    Entry{Collective::broadcast, "scatter_all_gather", rooted<scatter_all_gather_broadcast>},
    Entry{Collective::broadcast, "chain", rooted<chain_broadcast>},
    Entry{Collective::all_to_all, "spread", flat<spread_all_to_all>},
    Entry{Collective::all_to_all, "pairwise", flat<pairwise_all_to_all>},
    Entry{Collective::all_to_all, "bruck", flat<bruck_all_to_all>},
    Entry{Collective::all_to_all, "two_level", two_level_exchange},
    Entry{Collective::gather, "linear", rooted<linear_gather>},
    Entry{Collective::gather, "binomial_tree", rooted<binomial_gather>},
    Entry{Collective::scatter, "linear", rooted<linear_scatter>},
    Entry{Collective::scatter, "binomial_tree", rooted<binomial_scatter>},
    Entry{Collective::send_recv, "direct", direct},
};

}  // namespace

std::vector<std::string_view> algorithms_for(Collective collective) {
  std::vector<std::string_view> names;
  for (const auto& entry : catalogue) {
    if (entry.collective == collective) names.push_back(entry.algorithm);
  }
  return names;
}

bool has_algorithm(Collective collective, std::string_view algorithm) {
  return std::any_of(catalogue.begin(), catalogue.end(), [&](const Entry& entry) {
    return entry.collective == collective && entry.algorithm == algorithm;
  });
}

std::unique_ptr<Schedule> make_schedule(Collective collective, std::string_view algorithm, const Topology& topology,
                                        int root, Pattern pattern) {
  for (const auto& entry : catalogue) {
    if (entry.collective == collective && entry.algorithm == algorithm) return entry.make(topology, {root, pattern});
  }
  return nullptr;
}

}  // namespace ringmark
