#include "transports/schedules/catalogue.hpp"

#include <algorithm>
#include <array>

#include "transports/schedules/binomial_tree.hpp"
#include "transports/schedules/bruck.hpp"
#include "transports/schedules/halving_doubling.hpp"
#include "transports/schedules/pairwise.hpp"
#include "transports/schedules/recursive_doubling.hpp"
#include "transports/schedules/ring.hpp"
#include "transports/schedules/two_level.hpp"

namespace ringmark {
namespace {

struct Entry {
  Collective collective;
  std::string_view algorithm;
  std::unique_ptr<Schedule> (*make)(const Topology& topology, int root);
};

constexpr std::array catalogue{
    Entry{Collective::all_reduce, "ring", [](const Topology& t, int) { return ring_all_reduce(t.ranks()); }},
    Entry{Collective::all_reduce, "recursive_doubling",
          [](const Topology& t, int) { return recursive_doubling_all_reduce(t.ranks()); }},
    Entry{Collective::all_reduce, "halving_doubling",
          [](const Topology& t, int) { return halving_doubling_all_reduce(t.ranks()); }},
    Entry{Collective::all_reduce, "binomial_tree",
          [](const Topology& t, int) { return binomial_tree_all_reduce(t.ranks()); }},
    Entry{Collective::all_reduce, "two_level", [](const Topology& t, int) { return two_level_all_reduce(t); }},
    Entry{Collective::reduce_scatter, "ring", [](const Topology& t, int) { return ring_reduce_scatter(t.ranks()); }},
    Entry{Collective::reduce_scatter, "recursive_halving",
          [](const Topology& t, int) { return recursive_halving_reduce_scatter(t.ranks()); }},
    Entry{Collective::all_gather, "ring", [](const Topology& t, int) { return ring_all_gather(t.ranks()); }},
    Entry{Collective::all_gather, "recursive_doubling",
          [](const Topology& t, int) { return recursive_doubling_all_gather(t.ranks()); }},
    Entry{Collective::all_gather, "bruck", [](const Topology& t, int) { return bruck_all_gather(t.ranks()); }},
    Entry{Collective::reduce, "binomial_tree",
          [](const Topology& t, int root) { return binomial_tree_reduce(t.ranks(), root); }},
    Entry{Collective::broadcast, "binomial_tree",
          [](const Topology& t, int root) { return binomial_tree_broadcast(t.ranks(), root); }},
    Entry{Collective::all_to_all, "pairwise", [](const Topology& t, int) { return pairwise_all_to_all(t.ranks()); }},
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
                                        int root) {
  for (const auto& entry : catalogue) {
    if (entry.collective == collective && entry.algorithm == algorithm) return entry.make(topology, root);
  }
  return nullptr;
}

}  // namespace ringmark
