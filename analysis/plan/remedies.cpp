#include "analysis/plan/remedies.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/searched.hpp"
#include "base/text_table.hpp"
#include "base/with_count.hpp"

namespace ringmark::analysis {
namespace {

constexpr int largest_factor = 8;
constexpr std::size_t most_nodes_tried = 4;  // of the scenario's numbers of nodes: the largest

struct Attempt {
  std::string change;
  Scenario scenario;
};

/// The numbers of nodes next to the scenario's over which the batch divides on some cluster, where these do not.
std::vector<int> dividing_nodes(const Scenario& scenario) {
  std::vector<int> found;
  const auto divides = [&](int nodes) {
    return std::any_of(scenario.clusters.begin(), scenario.clusters.end(), [&](const Cluster& cluster) {
      const double ranks = nodes * cluster.gpus_per_node;
      return std::any_of(scenario.micro_batches.begin(), scenario.micro_batches.end(), [&](int micro_batch) {
        return accumulation_of(*scenario.global_batch, ranks, micro_batch) > 0;
      });
    });
  };
  for (const int listed : scenario.nodes) {
    if (divides(listed)) continue;
    for (int away = 1; away < listed; ++away) {
      const int nearest = divides(listed + away) ? listed + away : divides(listed - away) ? listed - away : 0;
      if (nearest == 0) continue;
      if (std::find(found.begin(), found.end(), nearest) == found.end()) found.push_back(nearest);
      break;
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Attempt> attempts_of(const Scenario& scenario) {
  std::vector<Attempt> attempts;
  if (scenario.global_batch) {
    auto dividing = scenario;
    dividing.nodes = dividing_nodes(scenario);
    if (!dividing.nodes.empty())
      attempts.push_back({fmt::format("nodes: [{}]", fmt::join(dividing.nodes, ", ")), std::move(dividing)});
    for (int factor = 2; factor <= largest_factor; factor *= 2) {
      auto larger = scenario;
      larger.global_batch = *scenario.global_batch * factor;
      attempts.push_back({fmt::format("global_batch_sequences: {}", *larger.global_batch), std::move(larger)});
    }
  }
  for (int factor = 2; factor <= largest_factor; factor *= 2) {
    auto more = scenario;
    more.nodes = {scenario.nodes.back() * factor};
    auto change = fmt::format("nodes: {}", more.nodes.front());
    attempts.push_back({change, more});
    if (!scenario.global_batch) continue;
    more.global_batch = *scenario.global_batch * factor;
    attempts.push_back({fmt::format("{} and global_batch_sequences: {}", change, *more.global_batch), std::move(more)});
  }
  return attempts;
}

}  // namespace

std::optional<Remedy> remedy_for(const Scenario& scenario, std::size_t model) {
  auto of_model = scenario;
  of_model.models = {scenario.models[model]};
  if (of_model.nodes.size() > most_nodes_tried)
    of_model.nodes.erase(of_model.nodes.begin(), of_model.nodes.end() - most_nodes_tried);
  for (const auto& attempt : attempts_of(of_model)) {
    const auto rows = make_plan(attempt.scenario);
    const auto answer = answers_of(attempt.scenario, rows).front();
    if (!answer.chosen || !answer.meets_deadline) continue;
    auto row = *answer.chosen->row;
    row.model = model;
    return Remedy{attempt.change, row};
  }
  return std::nullopt;
}

std::string remedy_words(const Scenario& scenario, std::size_t model) {
  const auto remedy = remedy_for(scenario, model);
  if (!remedy) {
    return fmt::format(
        "{}up to {} times as many nodes would not do; tensor, pipeline and expert parallelism are not searched",
        scenario.global_batch ? fmt::format("batches up to {} times as large and ", largest_factor) : "",
        largest_factor);
  }
  const auto& row = remedy->row;
  auto words = fmt::format("this would do: {}, with {} on {}", remedy->change, scenario.clusters[row.cluster].name,
                           with_count(static_cast<std::size_t>(row.nodes), "node"));
  words += fmt::format(" in {} days", short_number(row.days));
  if (scenario.has_prices()) words += fmt::format(" for {} {}", short_number(row.cost), scenario.currency);
  return words;
}

}  // namespace ringmark::analysis
