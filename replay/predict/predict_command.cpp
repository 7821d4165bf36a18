#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/text/text_table.hpp"
#include "base/write_file.hpp"
#include "replay/commands.hpp"
#include "replay/generate/megatron/memory_fit.hpp"
#include "replay/generate/memory_fit.hpp"
#include "replay/predict/plausible.hpp"
#include "replay/predict/predicted_step.hpp"
#include "replay/step/step_table.hpp"
#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

constexpr std::string_view warning = "WARNING: ";

JsonRow row_of(const PredictedStep& step, const std::optional<Interval>& interval_ms,
               const std::vector<std::string>& assumptions) {
  const auto& computations = step.computations();
  const auto rate = samples_per_second(computations, step.ranks(), step.total_us());
  JsonRow row{{"schema", "prediction/1"},
              {"step", computations.id},
              {"model", computations.model},
              {"ranks", step.ranks()},
              {"time_ms", step.total_us() / 1e3},
              {"time_ms_low", interval_ms ? JsonRow(interval_ms->low) : JsonRow()},
              {"time_ms_median", interval_ms ? JsonRow(median_of(*interval_ms)) : JsonRow()},
              {"time_ms_high", interval_ms ? JsonRow(interval_ms->high) : JsonRow()},
              {"samples_per_s", rate ? JsonRow(*rate) : JsonRow()},
              {"memory_bytes", step.memory().empty() ? JsonRow() : JsonRow(total_bytes(step.memory()))}};
  row.update(step.parts());
  row["assumptions"] = assumptions;
  return row;
}

RepeatableStep repeatable(const PredictOptions& options, const PredictedStep& step) {
  auto repeated = step.repeatable(options.links);
  repeated.has_typed_links = !options.fit;
  repeated.network_of = [&options](const Links& links) { return network_of(options, links); };
  return repeated;
}

/// Only multiples of this number of ranks are tried: whole nodes, and whole groups of ranks that share a copy of the
/// model.
int unit_of_solved(const PredictOptions& options) {
  const int node = options.links.ranks_per_node;
  if (options.parallel) return std::lcm(node, unit_of_ranks(*options.parallel));
  const auto& settings = options.step->settings;
  return settings.is_hybrid() ? std::lcm(node, 2 * settings.shard_degree()) : node;
}

Solution solve(const PredictOptions& options, const PredictedStep& step) {
  if (*options.solve == Solve::bandwidth) return solve_bandwidth(repeatable(options, step), options.of_ideal_percent);
  const auto of_ranks = [&](int ranks) -> IdealAndTime {
    const auto other = predicted_step(options, ranks);
    const auto repeated = repeatable(options, *other);
    return {repeated.ideal_s(), repeated.time_s()};
  };
  return solve_ranks(of_ranks, unit_of_solved(options), options.of_ideal_percent);
}

JsonRow solved_row(const Solution& solution) {
  return {{"what", solution.what == Solve::bandwidth ? "bandwidth_GBps" : "ranks"},
          {"of_ideal_percent", solution.wanted_percent},
          {"value", solution.value ? JsonRow(*solution.value) : JsonRow()},
          {"reached_percent", solution.percent},
          {"ideal_ms", solution.ideal_s * 1e3}};
}

/// Prints what would explain the measured time, and adds it to the row.
void print_explanations(const PredictOptions& options, const PredictedStep& step, JsonRow& row) {
  const auto& device = step.model().device;
  const bool has_device = !options.compute.device_of(step.computations()).empty();
  std::optional<Interval> factors;
  if (step.is_modelled()) factors = interval_of(step.family(), device);
  std::optional<double> peak_share;
  if (has_device) peak_share = device.knows_operators() ? device.product_efficiency : device.efficiency;
  const auto repeated = repeatable(options, step);
  const auto explanations = explain(repeated, *options.measured_s, factors, peak_share);
  say("{}", print(explanations, repeated.links, has_device ? device.name : "", peak_share));
  row["measured_s"] = *options.measured_s;
  row["is_expected"] = explanations.is_expected();
  for (const auto& each : explanations.all)
    row["explanations"][key_of(each.cause)] = each.needed ? JsonRow(*each.needed) : JsonRow();
  const auto* best = likeliest(explanations);
  row["likeliest"] = best ? JsonRow(key_of(best->cause)) : JsonRow();
}

/// The assumptions behind the times; those about memory are added later.
std::vector<std::string> assumptions_of(const PredictOptions& options, const PredictedStep& step,
                                        const Network& network) {
  const auto& device = step.model().device;
  std::vector<std::string> all = network.assumptions();
  if (!options.fit) {
    for (const auto& doubt : doubts_of(options.links, device.name)) all.push_back(std::string(warning) + doubt);
  }
  if (options.ranks_per_node && *options.ranks_per_node > 1 && !options.links.within)
    all.emplace_back(
        "WARNING: --ranks-per-node alone leaves the network flat: links within nodes are as slow as those between "
        "them; give --within-alpha-us and --within-bandwidth-GBps");
  if (!options.links.within && step.has_groups_within_nodes())
    all.emplace_back(
        "groups within nodes cost as much as others; --within-alpha-us and --within-bandwidth-GBps give them faster "
        "links");
  if (options.step) {
    const auto& settings = options.step->settings;
    if (const auto words = overlap_comm_words(settings); !words.empty())
      all.push_back(fmt::format("{} {}", settings.framework.text(), words));
  }
  if (step.contention() > 0)
    all.push_back(fmt::format(
        "computation that overlaps communication takes longer by {} % of that communication's time (--contention)",
        short_number(100 * step.contention())));
  if (options.jitter_percent > 0)
    all.push_back(fmt::format("computations last {} % longer on average, by a random amount", options.jitter_percent));
  for (const auto& line : options.compute.assumptions(step.computations())) all.push_back(line);
  if (!device.is_calibrated_for(step.model().software))
    all.push_back(fmt::format("{} was calibrated with steps of {} software: launches and the interval are not its own",
                              device.name, software_of(*device.calibrated_software).name));
  if (step.has_roles())
    all.emplace_back(
        "messages of a role share its link in each direction; collectives of different groups do not slow each other "
        "down");
  if (step.ranks() != step.computations().ranks)
    all.push_back(
        fmt::format("the trace was made for {} ranks: its sizes are rounded up to multiples of {} and its calls are "
                    "left unchanged; for exact times, generate it for this number of ranks",
                    step.computations().ranks, step.ranks()));
  return all;
}

/// The model's size, and what each GPU does.
void print_rates(const PredictOptions& options, const PredictedStep& step) {
  ModelWork work;
  if (options.parallel) {
    work = work_of(*options.parallel);
  } else if (options.step) {
    const auto& model = options.step->model;
    work = {static_cast<double>(model.elements()),
            training_operations_of_a_token(model, static_cast<double>(options.step->settings.sequence))};
  }
  const auto& computations = step.computations();
  const auto samples_per_s = samples_per_second(computations, step.ranks(), step.total_us());
  if (work.parameters <= 0 || !samples_per_s) return;
  const double tokens_per_s = *samples_per_s * static_cast<double>(computations.sequence) / step.ranks();
  const double TFLOPS = tokens_per_s * work.operations_of_a_token / 1e12;
  say("{:.4g} billion parameters; each GPU: {:.0f} tokens/s, {:.0f} TFLOPS without recomputation (MFU {:.0f} %)\n",
      work.parameters / 1e9, tokens_per_s, TFLOPS, 100 * TFLOPS / step.model().device.peak_TFLOPS);
}

Interval print_interval(const PredictedStep& step) {
  const auto family = step.family();
  const auto& device = step.model().device;
  const auto interval = interval_of(family, device);
  const Interval times_ms{step.total_us() / 1e3 * interval.low, step.total_us() / 1e3 * interval.high};
  say("interval: {:.3f} to {:.3f} ms, which contains {}\n", times_ms.low, times_ms.high,
      describe_interval(family, device));
  say("median: {:.3f} ms, which half of such steps exceed\n", median_of(times_ms));
  return times_ms;
}

double bytes_of(const Device& device) { return device.memory_GiB * (1ULL << 30U); }

/// What makes the step fit; empty if no change is known to.
std::optional<std::string> remedy_of(const PredictOptions& options, double device_bytes) {
  if (options.step) {
    const auto change = change_that_fits(options.step->model, options.step->settings, device_bytes);
    if (change) return "it fits with " + *change;
    return fmt::format(
        "nothing makes it fit: smaller micro-batches, recomputation, more sharding (ZeRO 3, FSDP) and more ranks, up "
        "to {}, were tried",
        most_ranks_tried);
  }
  if (!options.parallel) return std::nullopt;
  if (const auto* step = std::get_if<megatron::Arguments>(&*options.parallel)) {
    const auto change = megatron::change_that_fits(step->settings, options.links.ranks_per_node, device_bytes);
    return change ? "it fits with " + *change
                  : "nothing makes it fit on these ranks: smaller micro-batches, recomputation, tensor parallelism "
                    "within nodes and more pipeline stages were tried";
  }
  return "use more tensor or pipeline parallelism, a smaller micro-batch or full recomputation";
}

/// Reports that the step cannot run, and what makes it fit; empty if it fits, or if that is unknown.
std::string misfit_words(const PredictOptions& options, const PredictedStep& step) {
  const auto& device = step.model().device;
  const double bytes = bytes_of(device);
  if (bytes <= 0 || step.memory().empty() || fits(step.memory(), bytes)) return "";
  const auto owner = step.memory_owner();
  auto text = fmt::format("OUT OF MEMORY on {}: a rank{} needs {} and can use {}, so this step cannot run\n",
                          device.name, owner.empty() ? "" : " of " + owner, readable_bytes(total_bytes(step.memory())),
                          readable_bytes(bytes * usable_share));
  if (const auto remedy = remedy_of(options, bytes)) text += fmt::format("  {}\n", *remedy);
  return text + "  the times below assume the same device with enough memory\n\n";
}

/// Prints the memory that a rank needs, and returns why that is unknown; empty if it is known.
std::string print_memory(const PredictedStep& step) {
  const auto& device = step.model().device;
  const double bytes = bytes_of(device);
  if (bytes <= 0) return {};
  if (step.ranks() != step.computations().ranks)
    return "the memory that a rank needs is known only for the number of ranks that the trace was made for";
  if (step.memory().empty()) return "the memory that a rank needs is unknown: the trace does not state it";
  const auto largest = largest_micro_batch(step.memory(), step.computations().micro_batch, bytes);
  const auto owner = step.memory_owner();
  say("\nmemory on {}{}: {}largest micro-batch: {}\n", device.name, owner.empty() ? "" : ", " + owner,
      describe(step.memory(), bytes),
      largest ? std::to_string(*largest) : "unknown, as the trace does not state how much a sample needs");
  return {};
}

/// Prints what readers must know before the numbers: that the step cannot run, and doubtful inputs.
void print_warnings(const std::string& misfit, const std::vector<std::string>& assumptions) {
  say("{}", misfit);
  bool has_warnings = false;
  for (const auto& line : assumptions) {
    if (!line.starts_with(warning)) continue;
    say("{}\n", line);
    has_warnings = true;
  }
  if (has_warnings) say("\n");
}

const std::vector<std::string>& notes_in(const PredictOptions& options) {
  static const std::vector<std::string> none;
  return options.step ? options.step->notes : options.parallel ? notes_of(*options.parallel) : none;
}

}  // namespace

int predict_command(PredictOptions options) {
  const auto step = predicted_step(options);
  options.links.ranks_per_node =
      options.ranks_per_node.value_or(step->computations().ranks_per_node.value_or(usual_ranks_per_node));
  options.compute.check_ranks(step->ranks());
  std::optional<Solution> solution;
  if (options.solve) solution = solve(options, *step);
  if (!options.has_bandwidth) {
    const double solved_GBps = solution->value.value_or(0);
    options.links.between.GBps = solved_GBps > 0 ? solved_GBps : unlimited_GBps;
  }
  const auto network = network_of(options, options.links);
  step->simulate(*network);

  auto assumptions = assumptions_of(options, *step, *network);
  print_warnings(misfit_words(options, *step), assumptions);
  say("{}", step->table());
  std::optional<Interval> interval_ms;
  if (step->is_modelled()) {
    print_rates(options, *step);
    interval_ms = print_interval(*step);
  }
  if (auto unknown = print_memory(*step); !unknown.empty()) assumptions.push_back(std::move(unknown));
  const auto& notes = notes_in(options);
  assumptions.insert(assumptions.end(), notes.begin(), notes.end());
  auto row = row_of(*step, interval_ms, assumptions);
  if (options.measured_s) print_explanations(options, *step, row);
  if (solution) {
    say("{}", print(*solution, options.links));
    row["solved"] = solved_row(*solution);
  }
  say("\nAssumptions:\n");
  for (const auto& line : assumptions) {
    if (!line.starts_with(warning)) say("  {}\n", line);
  }
  if (!options.json.empty()) write_file(options.json, json_rows({row}));
  if (!options.timeline.empty()) {
    TimelineFile file(options.timeline);
    step->add_to(file);
    file.write();
  }
  return exit_ok;
}

}  // namespace ringmark::replay
