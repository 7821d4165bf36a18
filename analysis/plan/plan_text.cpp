#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "analysis/plan/answer_reasons.hpp"
#include "analysis/plan/answers.hpp"
#include "analysis/plan/calendar.hpp"
#include "analysis/plan/purchase_words.hpp"
#include "analysis/plan/sensitivity.hpp"
#include "analysis/plan/words.hpp"
#include "base/text/text_table.hpp"
#include "base/text/with_count.hpp"
#include "replay/step/interval.hpp"

namespace ringmark::analysis {
namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string ranged(const Estimate& value, const std::string& unit) {
  auto text = fmt::format("{} {}", short_number(value.planned), unit);
  if (!value.spread) return text;
  const auto [low, high] = value.range();
  return fmt::format("{} ({} to {})", text, short_number(low), short_number(high));
}

/// With both its intervals: " (50 % interval 12 to 14, 90 % interval 11 to 17)" after the value, formatted by `shown`.
std::string widely_ranged(const Estimate& value, const std::string& unit,
                          const std::function<std::string(double)>& shown) {
  auto text = shown(value.planned) + unit;
  if (!value.spread) return text;
  const auto half = value.range(0.5), most = value.range();
  return fmt::format("{} (50 % interval {} to {}, 90 % interval {} to {})", text, shown(half.low), shown(half.high),
                     shown(most.low), shown(most.high));
}

std::string nodes_of(const PlanRow& row) { return with_count(static_cast<std::size_t>(row.nodes), "node"); }

/// "16 nodes (128 GPUs)", or "16 nodes and 2 spare (128 of 144 GPUs)".
std::string gpus_of(const Cluster& cluster, const PlanRow& row) {
  if (cluster.spare_nodes <= 0) return fmt::format("{} ({} GPUs)", nodes_of(row), row.ranks);
  return fmt::format("{} and {} spare ({} of {} GPUs)", nodes_of(row), cluster.spare_nodes, row.ranks,
                     row.ranks + cluster.spare_nodes * cluster.gpus_per_node);
}

/// Why a variant saves nothing.
std::string limit_words(const PlanRow& row, const Variant& variant) {
  if (!variant.is_of_network) return ", since the fastest configuration fits already";
  constexpr double noticeable = 0.02;
  const double exposed = row.exposed_s / row.step_s;
  return exposed < noticeable
             ? fmt::format(", computation takes {:.0f} % of the step and hides the network", 100 * (1 - exposed))
             : fmt::format(", {:.0f} % of the step waits for communication within nodes (intra)", 100 * exposed);
}

/// "12 % more than", "26 times".
std::string compared(double figure, double other) {
  const double ratio = figure / other;
  if (ratio >= 2) return fmt::format("{:.0f} times", ratio);
  return fmt::format("{:.0f} % {} than", 100 * std::abs(ratio - 1), ratio < 1 ? "less" : "more");
}

std::string overlap_words(const Scenario& scenario) {
  if (scenario.has_roles())
    return fmt::format(
        " with the distributed optimizer, gradients in {}, sequence parallelism where there is tensor parallelism, and "
        "overlap",
        name(scenario.reduce_type));
  if (scenario.framework.kind != replay::Framework::Kind::deepspeed) return "";
  if (!scenario.overlaps)
    return " with overlap_comm only in ZeRO 3, DeepSpeed's default (many configurations set it: give overlap_comm)";
  return *scenario.overlaps ? " with overlap_comm in all stages" : " without overlap_comm";
}

/// The most important inputs that a scenario need not give.
std::string assumptions_line(const Scenario& scenario) {
  const auto& software = replay::software_of(scenario.software_kind());
  return fmt::format("assumed: {}{}, software {}{}, utilisation {}\n", scenario.framework.text(),
                     overlap_words(scenario), software.name,
                     scenario.software || scenario.has_roles() ? "" : " with a loss that is not fused",
                     short_number(scenario.utilisation));
}

/// The cost, or without prices the GPU-hours.
std::string spent(const Scenario& scenario, const Choice& choice) {
  constexpr double hours_per_day = 24;
  return scenario.has_prices() ? ranged(choice.cost(), scenario.currency)
                               : ranged(choice.days().times(choice.row->ranks * hours_per_day), "GPU-hours");
}

std::string need_text(const Need& need) {
  const auto shown = [](const std::optional<int>& nodes) { return nodes ? std::to_string(*nodes) : "none"; };
  const auto expected = shown(need.expected), best = shown(need.at_best), worst = shown(need.at_worst);
  return best == worst ? expected : fmt::format("{} (at best {}, at worst {})", expected, best, worst);
}

/// Time, money and energy of a choice.
std::string headline(const Scenario& scenario, const Choice& choice) {
  const auto& row = *choice.row;
  auto text = fmt::format("  {}\n", widely_ranged(choice.days(), " days", short_number));
  if (scenario.start) {
    const auto day = [&](double days) { return day_after(*scenario.start, days); };
    text += fmt::format("  ends on {}\n", widely_ranged(choice.days(), "", day));
  }
  text += "  " + spent(scenario, choice);
  if (scenario.has_prices())
    text += fmt::format(", expected cost {}, {} {} per billion tokens", short_number(row.expected_cost),
                        short_number(row.cost_per_Btok), scenario.currency);
  if (row.energy_MWh > 0) text += fmt::format(", {} MWh", short_number(row.energy_MWh));
  return text + fmt::format(", MFU {}, goodput {}\n", percent(row.mfu), percent(row.goodput));
}

std::string answer_lines(const Scenario& scenario, const std::vector<PlanRow>& rows,
                         const std::vector<Answer>& answers) {
  std::string text;
  for (const auto& answer : answers) {
    const auto& model = scenario.models[answer.model].name;
    if (!answer.chosen) {
      text += fmt::format("{}: nothing fits\n  {}\n", model, answer.remedy);
      continue;
    }
    const auto& row = *answer.chosen->row;
    const auto& cluster = scenario.clusters[row.cluster];
    text += fmt::format("{}: {}{}: {} on {}, {}\n", model, why(scenario, answer), certainty_words(scenario, answer),
                        cluster.name, gpus_of(cluster, row), configuration_words(row));
    text += headline(scenario, *answer.chosen);
    if (answer.bought)
      text += fmt::format(
          "  {}\n",
          purchase_words(scenario, *answer.bought->row, answer.rented ? answer.rented->row : nullptr, {}).now());
    if (!answer.chosen->has_range())
      text +=
          "  no range: give the cluster a device, since predictions for devices were compared with measured steps\n";
    const auto add_limit = [&](const std::string& words, const Estimate& value, double limit) {
      text += words;
      if (const auto sure = value.probability_below(limit))
        text += fmt::format("; it is met with a probability of {}", probability_words(*sure));
      text += "\n";
    };
    if (const auto& days = scenario.deadline_days)
      add_limit(fmt::format("  the deadline is {} days, {} that", short_number(*days), compared(*days, row.days)),
                answer.chosen->days(), *days);
    if (const auto& budget = scenario.budget)
      add_limit(fmt::format("  the budget is {} {}{}", short_number(*budget), scenario.currency,
                            smallest_budget(scenario, answer)),
                answer.chosen->cost(), *budget);
    if (!answer.meets_deadline) text += fmt::format("  {}\n", answer.remedy);
    // Prefer a cheaper cluster that meets the limits as planned: one that misses them is not a real choice.
    if (const auto& cheaper = answer.cheapest_as_planned ? answer.cheapest_as_planned : answer.cheapest)
      text += fmt::format("  {} on {} {}, {}, but {}\n", scenario.clusters[cheaper->row->cluster].name,
                          nodes_of(*cheaper->row),
                          (scenario.has_prices() ? "is cheaper: " : "takes less: ") + spent(scenario, *cheaper),
                          ranged(cheaper->days(), "days"), why_not(scenario, *cheaper));
    if (const auto interval_s = checkpoint_interval_s(cluster.failures, row.nodes))
      text += fmt::format("  a checkpoint every {:.0f} minutes\n", *interval_s / 60);
    else
      text += "  nodes are assumed not to fail: node_mtbf_hours is not given\n";
    for (const auto& line : what_would_change(scenario, answer)) text += "  " + line + "\n";
    if (const auto line = print_sensitivities(scenario, row); !line.empty()) text += "  " + line + "\n";
    for (std::size_t c = 0; c < scenario.clusters.size(); ++c) {
      if (scenario.deadline_days)
        text += fmt::format("  nodes for the deadline, {}: {}\n", scenario.clusters[c].name,
                            need_text(nodes_for_deadline(scenario, rows, answer.model, c)));
      if (scenario.budget)
        text += fmt::format("  nodes for the budget, {}: {}\n", scenario.clusters[c].name,
                            need_text(nodes_for_budget(scenario, rows, answer.model, c)));
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> what_would_change(const Scenario& scenario, const Answer& answer) {
  std::vector<std::string> lines;
  if (!answer.chosen) return lines;
  const auto& row = *answer.chosen->row;
  if (const auto* second = answer.chosen->runner_up)
    lines.push_back(fmt::format("runner-up: {}: {:.1f} % slower", configuration_words(*second),
                                100 * (row.tokens_per_s / second->tokens_per_s - 1)));
  if (answer.other) {
    const auto& other = *answer.other->row;
    lines.push_back(fmt::format("another cluster: {} on {}: {}, {}", scenario.clusters[other.cluster].name,
                                nodes_of(other), ranged(answer.other->days(), "days"), spent(scenario, *answer.other)));
  }
  for (const auto& each : what_ifs(scenario, row)) {
    if (!each.row) {
      lines.push_back(each.variant.name + ": nothing fits");
      continue;
    }
    constexpr double noticeable = 1e-3;
    if (std::abs(row.days - each.row->days) < noticeable * row.days &&
        std::abs(row.cost - each.row->cost) <= noticeable * row.cost) {
      lines.push_back(fmt::format("{}: saves nothing{}", each.variant.name, limit_words(row, each.variant)));
      continue;
    }
    auto line = fmt::format("{}: saves {} days", each.variant.name, short_number(row.days - each.row->days));
    if (scenario.has_prices())
      line += fmt::format(
          "{} {} {}{}; worth at most {} {} per GPU-hour", each.row->cost <= row.cost ? " and" : ", costs",
          short_number(std::abs(row.cost - each.row->cost)), scenario.currency,
          each.row->cost <= row.cost ? "" : " more", short_number(each.break_even_price), scenario.currency);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string print(const Scenario& scenario, const std::vector<PlanRow>& rows, const std::vector<Answer>& answers) {
  auto answered = answer_lines(scenario, rows, answers);
  std::vector<std::vector<std::string>> lines{{"model", "cluster", ">nodes", "sharding", ">batch x acc.", "recompute",
                                               ">memory (GB)", ">step (s)", ">interval", ">exposed", ">tokens/s",
                                               ">scaling", ">MFU", ">days"}};
  if (scenario.has_prices()) lines[0].push_back(fmt::format(">cost ({})", scenario.currency));
  std::string changes;
  for (const auto& place : places_of(rows)) {
    const auto* best = place.rows.empty() ? nullptr : &rows[place.rows.front()];
    const auto& [model, of_cluster, nodes] = place.where;
    const auto& cluster = scenario.clusters[of_cluster];
    std::vector<std::string> line{scenario.models[model].name, cluster.name, std::to_string(scenario.nodes[nodes])};
    if (best == nullptr) {
      const auto& least = nearest_to_fit(rows, place);
      line.insert(line.end(), {"-", misfit_words(scenario, least), "", ">= " + short_number(least.memory_GB)});
      line.resize(lines[0].size());
      if (const auto change = change_that_fits(scenario, least); !change.empty())
        changes += fmt::format("{}, {}, {}: fits with {}\n", scenario.models[model].name, cluster.name, nodes_of(least),
                               change);
    } else {
      line.insert(line.end(),
                  {split_words(*best), fmt::format("{} x {}", best->micro_batch, best->accumulation),
                   name(best->recompute), short_number(best->memory_GB), short_number(best->median_s),
                   best->interval_low_s ? fmt::format("{} to {}", short_number(*best->interval_low_s),
                                                      short_number(*best->interval_high_s))
                                        : "-",
                   fmt::format("{:.0f} %", 100 * best->exposed_s / best->step_s), short_number(best->tokens_per_s),
                   fmt::format("{:.2f}", best->scaling_factor), percent(best->mfu), short_number(best->days)});
      if (scenario.has_prices()) line.push_back(short_number(best->cost));
    }
    lines.push_back(std::move(line));
  }
  const auto fitting = std::count_if(rows.begin(), rows.end(), [](const PlanRow& row) { return row.fits; });
  std::string warnings;
  for (const auto& doubt : doubts_of(scenario)) warnings += doubt + "\n";
  auto text = fmt::format("{}\n\n{}{}\n{}\n{} of {} configurations fit in memory\n", scenario.question, warnings,
                          answered, print_table(std::move(lines)), fitting, rows.size());

  text += changes + assumptions_line(scenario);
  for (const auto& model : scenario.models) {
    for (const auto& note : model.notes) text += note + "\n";
  }
  for (const auto& cluster : scenario.clusters) {
    text += fmt::format("{}: {} GB/s per node and {} us between nodes, {} GB/s per GPU and {} us within, each way\n",
                        cluster.name, short_number(cluster.network.GBps), short_number(cluster.network.alpha_us),
                        short_number(cluster.intra.GBps), short_number(cluster.intra.alpha_us));
    if (cluster.device)
      text += fmt::format("{}: the interval covers {}\n", cluster.name, interval_words(scenario, cluster));
  }
  if (const auto words = center_words(scenario); !words.empty()) text += words + "\n";
  for (const auto& cluster : scenario.clusters) {
    for (const auto* path : {&cluster.intra, &cluster.network}) {
      if (path->is_fitted)
        text += fmt::format("{}: {}; other numbers of ranks and larger messages are extrapolated\n", cluster.name,
                            path->source);
    }
  }
  return text;
}

}  // namespace ringmark::analysis
