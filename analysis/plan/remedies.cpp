#include "analysis/plan/remedies.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/plan/answer_reasons.hpp"
#include "analysis/plan/batch_division.hpp"
#include "analysis/plan/searched.hpp"
#include "analysis/plan/words.hpp"
#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"

namespace ringmark::analysis {
namespace {

constexpr int largest_factor = 8;
constexpr std::size_t most_nodes_tried = 2;  // of the scenario's numbers of nodes: the largest

struct Attempt {
  std::string change;
  Scenario scenario;
};

/// The number of nodes nearest to `nodes` over which the batch divides evenly on some cluster; 0 if there is none.
int dividing(const Scenario& scenario, int nodes) {
  for (int away = 0; away < nodes; ++away) {
    if (divides_batch(scenario, nodes + away)) return nodes + away;
    if (divides_batch(scenario, nodes - away)) return nodes - away;
  }
  return 0;
}

/// Factors of nodes and batch, the smallest products first and, of equal ones, those with the fewest nodes.
std::vector<std::array<int, 2>> factors() {
  std::vector<std::array<int, 2>> all;
  for (int product = 1; product <= largest_factor * largest_factor; product *= 2)
    for (int nodes = 1; nodes <= product; nodes *= 2) {
      if (nodes <= largest_factor && product / nodes <= largest_factor) all.push_back({nodes, product / nodes});
    }
  return all;
}

/// The scenario with nodes and batch multiplied by these factors; nothing if that changes nothing or is impossible.
std::optional<Attempt> attempt_of(const Scenario& scenario, int times_nodes, int times_batch) {
  Attempt attempt{"", scenario};
  auto& changed = attempt.scenario;
  if (times_batch > 1) {
    if (!scenario.global_batch || *scenario.global_batch > most_global_batch / times_batch) return std::nullopt;
    changed.global_batch = *scenario.global_batch * times_batch;
  }
  if (times_nodes > 1) changed.nodes = {scenario.nodes.back() * times_nodes};
  if (scenario.global_batch) {
    std::set<int> nodes;
    for (const int each : changed.nodes) nodes.insert(dividing(changed, each));
    nodes.erase(0);
    changed.nodes.assign(nodes.begin(), nodes.end());
  }
  if (changed.nodes.empty()) return std::nullopt;
  if (changed.nodes != scenario.nodes)
    attempt.change = changed.nodes.size() == 1 ? fmt::format("nodes: {}", changed.nodes.front())
                                               : fmt::format("nodes: [{}]", fmt::join(changed.nodes, ", "));
  if (times_batch > 1)
    attempt.change +=
        fmt::format("{}global_batch_sequences: {}", attempt.change.empty() ? "" : " and ", *changed.global_batch);
  return attempt.change.empty() ? std::nullopt : std::optional(std::move(attempt));
}

std::vector<Attempt> attempts_of(const Scenario& scenario, bool keeps_batch) {
  std::vector<Attempt> attempts;
  for (const auto& [of_nodes, of_batch] : factors()) {
    if (keeps_batch && of_batch > 1) continue;
    if (auto attempt = attempt_of(scenario, of_nodes, of_batch)) attempts.push_back(std::move(*attempt));
  }
  return attempts;
}

Remedy remedy_of(const Attempt& attempt, const Answer& answer) {
  const auto& choice = *answer.chosen;
  Remedy remedy{attempt.change, *choice.row, !answer.meets_budget, budget_words(attempt.scenario, choice), {}};
  if (attempt.scenario.deadline_days)
    remedy.deadline_probability = choice.days().probability_below(*attempt.scenario.deadline_days);
  return remedy;
}

/// "IB on 8 nodes, 12.3 days (a 97 % chance of meeting it), 12345 USD".
std::string result_words(const Scenario& scenario, const Remedy& remedy) {
  const auto& row = remedy.row;
  auto words = fmt::format("{} on {}, {} days", scenario.clusters[row.cluster].name,
                           with_count(static_cast<std::size_t>(row.nodes), "node"), short_number(row.days));
  if (remedy.deadline_probability)
    words += fmt::format(" (a {} chance of meeting it)", probability_words(*remedy.deadline_probability));
  if (scenario.has_prices())
    words += fmt::format(", {} {}{}", short_number(row.cost), scenario.currency,
                         remedy.is_over_budget ? ", over the budget, which would have to be " + remedy.budget : "");
  return words;
}

/// The result with the nearest divisible batch, if the scenario's batch is not divisible.
std::string other_batch_words(const Scenario& scenario, std::size_t model, int batch) {
  auto changed = scenario;
  changed.models = {scenario.models[model]};
  changed.global_batch = batch;
  auto words = fmt::format(
      "global_batch_sequences: {} cannot be split evenly on any of these numbers of nodes; the nearest that can is {}",
      *scenario.global_batch, batch);
  const auto rows = make_plan(changed);
  const auto answer = answers_of(changed, rows).front();
  if (answer.chosen) words += ": " + result_words(changed, remedy_of({"", changed}, answer));
  if (!answer.chosen || !answer.meets_deadline)
    words += fmt::format("; with it, {}", remedy_words(changed, 0, answer.chosen.has_value()));
  return words;
}

}  // namespace

std::optional<Remedy> remedy_for(const Scenario& scenario, std::size_t model, bool keeps_batch) {
  auto of_model = scenario;
  of_model.models = {scenario.models[model]};
  auto largest = of_model;
  if (largest.nodes.size() > most_nodes_tried)
    largest.nodes.erase(largest.nodes.begin(), largest.nodes.end() - most_nodes_tried);
  std::optional<Remedy> remedy;
  StepCache cache;  // a larger batch has more of the same micro-steps
  for (auto& attempt : attempts_of(largest, keeps_batch)) {
    auto rows = make_plan(attempt.scenario, cache);
    auto answer = answers_of(attempt.scenario, rows).front();
    if (!answer.chosen || !answer.meets_deadline) continue;
    const bool is_certain = answer.is_certain || (answer.meets_budget && !answer.chosen->has_range());
    if (!is_certain && remedy) continue;
    if (attempt.scenario.nodes == largest.nodes) {  // the whole plan with the change, as a user would run it
      attempt.scenario.nodes = of_model.nodes;
      rows = make_plan(attempt.scenario, cache);
      answer = answers_of(attempt.scenario, rows).front();
    }
    remedy = remedy_of(attempt, answer);
    remedy->row.model = model;
    if (is_certain) break;
  }
  return remedy;
}

std::optional<Remedy> next_device_for(const Scenario& scenario, std::size_t model) {
  auto changed = scenario;
  changed.clusters.clear();
  changed.models = {scenario.models[model]};
  std::vector<std::size_t> clusters;
  for (std::size_t c = 0; c < scenario.clusters.size(); ++c) {
    if (!scenario.clusters[c].next) continue;
    changed.clusters.push_back(variants_of(scenario, c).back().cluster);
    clusters.push_back(c);
  }
  if (clusters.empty()) return std::nullopt;
  const auto rows = make_plan(changed);
  const auto answer = answers_of(changed, rows).front();
  auto remedy = answer.chosen && answer.meets_deadline ? std::optional(remedy_of({"", changed}, answer))
                : remedy_for(scenario, model)          ? std::nullopt
                                                       : remedy_for(changed, 0);
  if (!remedy) return std::nullopt;
  remedy->row.model = model;
  remedy->row.cluster = clusters[remedy->row.cluster];
  const auto& cluster = scenario.clusters[remedy->row.cluster];
  remedy->change = fmt::format("{} instead of {}{}{}", cluster.next->device.name, cluster.device->name,
                               remedy->change.empty() ? "" : " and ", remedy->change);
  return remedy;
}

/// The scenario's own, and those that can split a model over more GPUs.
std::vector<replay::Framework> frameworks_for(const Scenario& scenario, const ModelShape& model) {
  using Kind = replay::Framework::Kind;
  std::vector<replay::Framework> frameworks{scenario.framework};
  const auto add = [&](Kind kind) { frameworks.push_back({kind, replay::Framework::usual_version(kind)}); };
  if (model.model) add(Kind::pytorch_fsdp2);
  if (model.transformer && !scenario.has_roles()) add(Kind::megatron);
  return frameworks;
}

std::string what_fits(const Scenario& scenario, std::size_t model) {
  auto searched = scenario;
  searched.models = {scenario.models[model]};
  searched.stages.clear();
  searched.shard_groups.clear();
  searched.recompute.clear();
  searched.parallel = {};
  if (scenario.global_batch) searched.micro_batches.clear();
  auto more_nodes = searched;
  more_nodes.nodes = {scenario.nodes.back() * 2, scenario.nodes.back() * 4, scenario.nodes.back() * largest_factor};
  for (auto attempt : {searched, more_nodes}) {
    for (const auto& framework : frameworks_for(scenario, searched.models[0])) {
      attempt.framework = framework;
      attempt.stages.clear();
      fill_in_searched(attempt);
      attempt.compared = compared_steps(attempt);
      const auto rows = make_plan(attempt);
      const auto answer = answers_of(attempt, rows).front();
      if (!answer.chosen) continue;
      const auto& row = *answer.chosen->row;
      return fmt::format("it fits with {} and {} on {} of {}: {} days", attempt.framework.text(),
                         configuration_words(row), with_count(static_cast<std::size_t>(row.nodes), "node"),
                         scenario.clusters[row.cluster].name, short_number(row.days));
    }
  }
  return "";
}

std::string remedy_words(const Scenario& scenario, std::size_t model, bool fits) {
  const auto remedy = remedy_for(scenario, model), next = next_device_for(scenario, model);
  const auto batch = nearest_dividing_batch(scenario);
  const std::string purpose = !scenario.deadline_days ? "to make it fit"
                              : fits                  ? "to meet the deadline"
                                                      : "to make it fit and meet the deadline";
  std::string words;
  if (remedy) {
    const auto of = [&](const Remedy& each) {
      return fmt::format("{}: {}", each.change, result_words(scenario, each));
    };
    const bool changes_batch = remedy->change.find("batch") != std::string::npos;
    const auto other = changes_batch ? remedy_for(scenario, model, true) : std::nullopt;
    words = fmt::format("{}, set {}{}", purpose, other ? of(*other) + "; or set " : "", of(*remedy));
    if (changes_batch) words += "; a larger batch changes the training";
    if (batch) words = fmt::format("{}; or, {}", other_batch_words(scenario, model, *batch), words);
  } else if (batch) {
    words = other_batch_words(scenario, model, *batch);
    if (const auto other = what_fits(scenario, model); !other.empty())
      words += fmt::format("; with {}, {}", *scenario.global_batch, other);
  } else {
    const auto* others = scenario.has_roles() ? ""
                         : scenario.models[model].transformer
                             ? "; framework: megatron also searches tensor and pipeline parallelism"
                             : "; tensor and pipeline parallelism are not searched";
    words =
        fmt::format("{}up to {} times as many nodes are not enough {}{}",
                    scenario.global_batch ? fmt::format("batches up to {} times as large and ", largest_factor) : "",
                    largest_factor, purpose, others);
    if (const auto other = fits ? "" : what_fits(scenario, model); !other.empty()) words = other + "; " + words;
  }
  if (next) words += fmt::format("; with {}: {}", next->change, result_words(scenario, *next));
  return words;
}

std::vector<Answer> answers_with_remedies(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  auto answers = answers_of(scenario, rows);
  for (auto& answer : answers) {
    if (!answer.chosen || !answer.meets_deadline)
      answer.remedy = remedy_words(scenario, answer.model, answer.chosen.has_value());
    if (!answer.chosen && !scenario.framework.shards_all() && !scenario.has_roles())
      answer.remedy +=
          fmt::format("; {} does not shard all states: try framework: pytorch-fsdp, or deepspeed with stages: [3]",
                      scenario.framework.text());
  }
  return answers;
}

}  // namespace ringmark::analysis
