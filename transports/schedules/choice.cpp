#include "transports/schedules/choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

/// The first schedule in the catalogue loads the network least, and is used if it takes only slightly longer.
constexpr double hardly_longer = 1.05;

/// The model ignores shared links and other load on the hosts, so its times can be wrong by this factor.
constexpr double model_error = 2.5;

/// True if trees send most blocks several times, which also loads a node's memory and cores.
bool forwards_blocks(Collective collective) {
  return collective == Collective::gather || collective == Collective::scatter;
}

}  // namespace

std::string describe(const LinkCost& link) {
  const auto reduction =
      link.gamma_us_per_byte == 0 ? "" : fmt::format(", its reduction {:.2g} ns", 1e3 * link.gamma_us_per_byte);
  return fmt::format("a step takes {:.3g} us plus {:.3g} ns per byte{}", link.alpha_us, 1e3 * link.beta_us_per_byte,
                     reduction);
}

AlgorithmChoice::AlgorithmChoice(const Topology& topology, LinkCost link)
    : ranks_(topology.ranks()),
      has_two_levels_(topology.node_count() > 1 && topology.node_count() < topology.ranks()),
      tolerance_(topology.node_count() > 1 ? hardly_longer : 1),
      link_(link) {}

const std::vector<AlgorithmChoice::Algorithm>& AlgorithmChoice::algorithms(Collective collective) const {
  auto& known = algorithms_[collective];
  if (!known.empty()) return known;
  for (const auto name : algorithms_for(collective)) {
    if (name == "two_level") continue;
    const auto schedule = make_schedule(collective, name, Topology::flat(ranks_));
    known.push_back({name, cost_of(*schedule)});
    known.back().cost.steps = schedule->latency_steps();
  }
  return known;
}

std::vector<AlgorithmChoice::Candidate> AlgorithmChoice::candidates(Collective collective,
                                                                    std::size_t total_bytes) const {
  const auto bytes = static_cast<double>(total_bytes);
  std::vector<Candidate> all;
  for (const auto& algorithm : algorithms(collective))
    all.push_back({algorithm.name, link_.time_us(algorithm.cost, bytes)});
  return all;
}

std::vector<AlgorithmChoice::Candidate> AlgorithmChoice::contenders(Collective collective,
                                                                    std::size_t total_bytes) const {
  auto all = candidates(collective, total_bytes);
  const auto cheaper = [](const Candidate& a, const Candidate& b) { return a.time_us < b.time_us; };
  const double least_us = std::min_element(all.begin(), all.end(), cheaper)->time_us;
  std::erase_if(all, [&](const Candidate& each) { return each.time_us > model_error * least_us; });
  if (has_two_levels_ && has_algorithm(collective, "two_level")) all.push_back({"two_level", least_us});
  return all;
}

std::string_view AlgorithmChoice::choose(Collective collective, std::size_t total_bytes) const {
  const auto bytes = static_cast<double>(total_bytes);
  const auto& all = algorithms(collective);
  double least_us = link_.time_us(all.front().cost, bytes);
  for (const auto& algorithm : all) least_us = std::min(least_us, link_.time_us(algorithm.cost, bytes));
  const double tolerance = forwards_blocks(collective) ? hardly_longer : tolerance_;
  const auto chosen = std::find_if(all.begin(), all.end(), [&](const Algorithm& algorithm) {
    return link_.time_us(algorithm.cost, bytes) <= tolerance * least_us;
  });
  return chosen->name;
}

double AlgorithmChoice::time_us(Collective collective, std::string_view algorithm, std::size_t total_bytes) const {
  const auto& all = algorithms(collective);
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == algorithm; });
  return link_.time_us(found->cost, static_cast<double>(total_bytes));
}

std::string AlgorithmChoice::crossovers(Collective collective) const {
  constexpr std::size_t least = 8, most = std::size_t{1} << 32;
  std::string text;
  auto current = choose(collective, least);
  for (std::size_t bytes = 2 * least; bytes <= most; bytes *= 2) {
    const auto next = choose(collective, bytes);
    if (next == current) continue;
    text += fmt::format("{} up to {}, ", current, format_size(bytes / 2));
    current = next;
  }
  return text.empty() ? std::string(current) : fmt::format("{}then {}", text, current);
}

}  // namespace ringmark
