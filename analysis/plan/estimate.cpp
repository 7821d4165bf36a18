#include "analysis/plan/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analysis/plan/operators.hpp"
#include "analysis/plan/replayed.hpp"
#include "base/text_table.hpp"
#include "replay/generate/memory.hpp"
#include "replay/step/interval.hpp"
#include "results/csv.hpp"

namespace ringmark::analysis {
namespace {

/// The replayer's memory of a rank, with stage 0 as DeepSpeed treats it since 0.17.6.
double memory_bytes(const Scenario& scenario, const ModelShape& model, const PlanRow& row) {
  replay::StepSettings settings;
  settings.framework.version = {0, 17, 6};
  settings.zero_stage = row.stage;
  settings.ranks = static_cast<int>(row.ranks);
  settings.micro_batch = static_cast<std::uint64_t>(row.micro_batch);
  settings.sequence = static_cast<std::uint64_t>(scenario.sequence);
  settings.overlap_comm = scenario.overlap > 0;
  settings.reduce_bucket = static_cast<std::uint64_t>(scenario.bucket_elements);
  settings.software = scenario.software;
  const replay::MemoryShape shape{
      model.parameters, model.parameters, 2 * model.vocabulary * model.hidden, model.layers, model.hidden,
      model.heads,      model.vocabulary, scenario.recompute ? 1.0 : 0.0};
  return replay::total_bytes(replay::memory_of(shape, settings));
}

void estimate(const Scenario& scenario, ReplayedSteps& replayed, OperatorTimes& operators, PlanRow& row) {
  const auto& model = scenario.models[row.model];
  const auto& cluster = scenario.clusters[row.cluster];
  const auto& path = row.nodes == 1 ? cluster.intra : cluster.network;
  const double p = model.parameters, n = row.ranks, a = row.accumulation;
  const double tokens = row.micro_batch * scenario.sequence;  // of a rank and micro-step
  const double forward = tokens * (2 * p + 2 * model.layers * scenario.sequence * model.hidden);
  const double passes = scenario.recompute ? 4 : 3;
  const double flat_s = passes * forward / (cluster.peak_TFLOPS * 1e12 * cluster.efficiency);
  const double micro_s = operators.micro_step_s(scenario, row).value_or(flat_s);
  row.compute_factor = micro_s / flat_s;
  row.compute_s = a * micro_s;

  const double share = (n - 1) / n, calls = std::ceil(p / scenario.bucket_elements);
  const bool scatters = row.stage == 3 || (scenario.reduce_scatter && row.stage > 0);
  const double gradient_rounds = row.stage >= 2 ? a : 1;
  const double gradient_bytes = gradient_rounds * (scatters ? 2 : 4) * share * p;
  const double gradient_steps = gradient_rounds * calls * (scatters ? 1 : 2) * (n - 1);
  const double gathers = row.stage == 0 ? 0 : row.stage == 3 ? a * model.gather_ratio : 1;
  const double parameter_calls = row.stage == 3 ? model.layers : 1;
  const double parameter_bytes = gathers * 2 * share * p, parameter_steps = gathers * parameter_calls * (n - 1);
  const auto seconds = [&](double bytes, double steps) {
    return bytes / (path.GBps * 1e9) + steps * path.alpha_us / 1e6;
  };
  row.gradient_s = seconds(gradient_bytes, gradient_steps);
  row.parameter_s = seconds(parameter_bytes, parameter_steps);

  // Gradients can hide behind the backward pass that makes them: of the last micro-step, or of all. Stage 3 gathers
  // ahead, so that everything can.
  const double backward_s = micro_s * (passes - 1) / passes;
  // One bucket is flushed after the pass, and stage 0 reduces there.
  const bool none_hides = row.stage == 0 || (row.stage < 3 && calls <= 1);
  const double beside_s = none_hides ? 0 : row.stage == 3 ? a * micro_s : row.stage == 2 ? a * backward_s : backward_s;
  row.window_s = scenario.overlap * beside_s;
  const bool all_can_hide = row.stage == 3;
  const double hidden_s = row.gradient_s + (all_can_hide ? row.parameter_s : 0);
  row.exposed_s = std::max(0.0, hidden_s - row.window_s) + (all_can_hide ? 0 : row.parameter_s);
  row.step_s = row.compute_s + row.exposed_s;
  if (const auto step_s = scenario.replay ? replayed.step_s(scenario, row) : std::nullopt) {
    row.replay_factor = *step_s / row.step_s;
    row.step_s = *step_s;
    row.exposed_s = *step_s - row.compute_s;
  }
  if (cluster.device) {
    const auto interval = replay::interval_of(*cluster.device, scenario.software.value_or(replay::usual_software));
    row.interval_low_s = row.step_s * interval.low;
    row.interval_high_s = row.step_s * interval.high;
  }
  row.tokens_per_s = n * tokens * a / row.step_s;
  row.samples_per_s = row.tokens_per_s / scenario.sequence;
  row.days = scenario.tokens / row.tokens_per_s / 86400;
  row.cost = row.days * 24 * n * cluster.price_per_GPU_hour;
  row.energy_MWh = row.days * 24 * n * cluster.power_kW_per_GPU / 1000;
  const double bytes = gradient_bytes + (all_can_hide ? parameter_bytes : 0);
  const double left_s = row.window_s - (gradient_steps + (all_can_hide ? parameter_steps : 0)) * path.alpha_us / 1e6;
  if (left_s > 0 && bytes > 0) row.hidden_from_GBps = bytes / left_s / 1e9;
}

/// Rows of one configuration and different nodes.
auto configuration_of(const PlanRow& row) {
  return std::tuple(row.model, row.cluster, row.stage, row.micro_batch, row.accumulation);
}

void compare_rows(std::vector<PlanRow>& rows) {
  std::map<decltype(configuration_of(rows.front())), std::size_t> smallest;
  const auto place = [](const PlanRow& row) { return std::tuple(row.model, row.cluster, row.nodes); };
  std::map<std::tuple<std::size_t, std::size_t, int>, double> most;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    if (!row.fits) continue;
    row.smallest = smallest.try_emplace(configuration_of(row), i).first->second;
    const auto& small = rows[row.smallest];
    row.scaling_factor = row.tokens_per_s / row.ranks / (small.tokens_per_s / small.ranks);
    auto& best = most[place(row)];
    best = std::max(best, row.tokens_per_s);
  }
  constexpr double rounding = 1e-9;
  for (auto& row : rows) row.is_best = row.fits && row.tokens_per_s >= most[place(row)] * (1 - rounding);
}

}  // namespace

std::vector<PlanRow> make_plan(const Scenario& scenario) {
  std::vector<PlanRow> rows;
  ReplayedSteps replayed;
  OperatorTimes operators;
  for (std::size_t model = 0; model < scenario.models.size(); ++model) {
    for (std::size_t cluster = 0; cluster < scenario.clusters.size(); ++cluster) {
      for (const int stage : scenario.stages) {
        for (const int micro_batch : scenario.micro_batches) {
          for (const int accumulation : scenario.accumulations) {
            for (std::size_t nodes = 0; nodes < scenario.nodes.size(); ++nodes) {
              PlanRow row{model, cluster, nodes, stage, micro_batch, accumulation, scenario.nodes[nodes]};
              const auto& gpus = scenario.clusters[cluster];
              row.ranks = row.nodes * gpus.gpus_per_node;
              row.memory_GB = memory_bytes(scenario, scenario.models[model], row) / 1e9;
              row.fits = row.memory_GB <= gpus.memory_GB - gpus.reserve_GB;
              const auto& path = row.nodes == 1 ? gpus.intra : gpus.network;
              row.is_beyond_fit = path.is_fitted && row.ranks > path.fitted_ranks;
              if (row.fits) estimate(scenario, replayed, operators, row);
              rows.push_back(row);
            }
          }
        }
      }
    }
  }
  compare_rows(rows);
  return rows;
}

std::string plan_csv(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  auto text = write_csv({"model",
                         "cluster",
                         "stage",
                         "micro_batch",
                         "accumulation",
                         "nodes",
                         "ranks",
                         "memory_GB",
                         "fits",
                         "compute_s",
                         "gradient_s",
                         "parameter_s",
                         "window_s",
                         "replay_factor",
                         "exposed_s",
                         "step_s",
                         "tokens_per_s",
                         "samples_per_s",
                         "scaling_factor",
                         "days",
                         "cost",
                         "energy_MWh",
                         "hidden_from_GBps",
                         "compute_factor",
                         "interval_low_s",
                         "interval_high_s",
                         "best",
                         "beyond_fit"});
  for (const auto& row : rows) {
    const auto number = [&](double value) { return row.fits ? fmt::format("{:.12g}", value) : ""; };
    const auto optional = [&](const std::optional<double>& value) { return value ? number(*value) : ""; };
    text += write_csv({scenario.models[row.model].name,
                       scenario.clusters[row.cluster].name,
                       std::to_string(row.stage),
                       std::to_string(row.micro_batch),
                       std::to_string(row.accumulation),
                       std::to_string(row.nodes),
                       fmt::format("{}", row.ranks),
                       fmt::format("{:.12g}", row.memory_GB),
                       row.fits ? "1" : "0",
                       number(row.compute_s),
                       number(row.gradient_s),
                       number(row.parameter_s),
                       number(row.window_s),
                       number(row.replay_factor),
                       number(row.exposed_s),
                       number(row.step_s),
                       number(row.tokens_per_s),
                       number(row.samples_per_s),
                       number(row.scaling_factor),
                       number(row.days),
                       number(row.cost),
                       number(row.energy_MWh),
                       optional(row.hidden_from_GBps),
                       number(row.compute_factor),
                       optional(row.interval_low_s),
                       optional(row.interval_high_s),
                       row.is_best ? "1" : "0",
                       row.is_beyond_fit ? "1" : "0"});
  }
  return text;
}

std::string print(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  std::vector<std::vector<std::string>> lines{{"model", "cluster", ">nodes", ">stage", ">batch x acc.", ">memory (GB)",
                                               ">step (s)", ">interval", ">exposed", ">tokens/s", ">scaling", ">days",
                                               ">cost", ">gradients hidden from (GB/s)"}};
  // Among equally fast plans the one that needs the least of the network wins.
  const auto needs = [](const PlanRow& row) { return row.hidden_from_GBps.value_or(1e300); };
  std::map<std::tuple<std::size_t, std::size_t, int>, std::vector<const PlanRow*>> places;
  for (const auto& row : rows) places[{row.model, row.cluster, row.nodes}].push_back(&row);
  for (const auto& [place, some] : places) {
    const PlanRow* best = nullptr;
    const PlanRow* least = some.front();
    for (const auto* row : some) {
      if (row->memory_GB < least->memory_GB) least = row;
      if (row->is_best && (best == nullptr || needs(*row) < needs(*best))) best = row;
    }
    const auto& cluster = scenario.clusters[least->cluster];
    std::vector<std::string> line{scenario.models[least->model].name, cluster.name, std::to_string(least->nodes)};
    if (best == nullptr) {
      line.insert(line.end(), {"-", "does not fit", ">= " + short_number(least->memory_GB)});
      line.resize(lines[0].size());
    } else {
      line.insert(line.end(),
                  {std::to_string(best->stage), fmt::format("{} x {}", best->micro_batch, best->accumulation),
                   short_number(best->memory_GB), short_number(best->step_s),
                   best->interval_low_s ? fmt::format("{} to {}", short_number(*best->interval_low_s),
                                                      short_number(*best->interval_high_s))
                                        : "-",
                   fmt::format("{:.0f} %", 100 * best->exposed_s / best->step_s), short_number(best->tokens_per_s),
                   fmt::format("{:.2f}", best->scaling_factor), short_number(best->days), short_number(best->cost),
                   best->hidden_from_GBps ? short_number(*best->hidden_from_GBps)
                   : best->ranks == 1     ? "-"
                                          : "never"});
    }
    lines.push_back(std::move(line));
  }
  const auto fitting = std::count_if(rows.begin(), rows.end(), [](const PlanRow& row) { return row.fits; });
  auto text = fmt::format("{}\n\n{}\n{} of {} configurations fit in memory\n", scenario.question,
                          print_table(std::move(lines)), fitting, rows.size());
  if (scenario.replay)
    text += "steps of models that come with the program are the replayer's predictions; of others, arithmetic\n";
  for (const auto& cluster : scenario.clusters) {
    for (const auto* path : {&cluster.intra, &cluster.network}) {
      if (path->is_fitted)
        text += fmt::format("{}: {}; other ranks and larger messages are extrapolated\n", cluster.name, path->source);
    }
  }
  return text;
}

}  // namespace ringmark::analysis
