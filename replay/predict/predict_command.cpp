#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text_table.hpp"
#include "base/write_file.hpp"
#include "replay/commands.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/generate/memory_fit.hpp"
#include "replay/predict/backwards.hpp"
#include "replay/predict/plausible.hpp"
#include "replay/predict/predict_roles.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/step_table.hpp"
#include "replay/step/timeline_file.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "replay/trace/show.hpp"
#include "results/json_rows.hpp"

namespace ringmark::replay {
namespace {

JsonRow prediction_row(const StepTrace& trace, int ranks, const Simulation& simulation,
                       const std::optional<Interval>& interval_ms, const std::vector<std::string>& assumptions) {
  const auto times = times_of(trace, simulation.timeline);
  const auto whole = times.whole();
  const auto rate = samples_per_second(trace, ranks, times.total_us);
  return {{"schema", "prediction/1"},
          {"step", trace.id},
          {"model", trace.model},
          {"ranks", ranks},
          {"time_ms", times.total_us / 1e3},
          {"time_ms_low", interval_ms ? JsonRow(interval_ms->low) : JsonRow()},
          {"time_ms_median", interval_ms ? JsonRow(median_of(*interval_ms)) : JsonRow()},
          {"time_ms_high", interval_ms ? JsonRow(interval_ms->high) : JsonRow()},
          {"computation_ms", whole.computation_us / 1e3},
          {"exposed_ms", whole.exposed_us / 1e3},
          {"hidden_ms", whole.hidden_us / 1e3},
          {"samples_per_s", rate ? JsonRow(*rate) : JsonRow()},
          {"sent_bytes", step_wire_bytes(trace, ranks)},
          {"slowest_rank", simulation.slowest_rank},
          {"memory_bytes", trace.memory.empty() ? JsonRow() : JsonRow(total_bytes(trace.memory))},
          {"assumptions", assumptions}};
}

RepeatableStep repeatable(const PredictOptions& options, const StepTrace& trace, const Scene& scene) {
  return {trace, scene, options.links, !options.fit,
          [&options](const Links& links) { return network_of(options, links); }};
}

/// The step with this number of ranks, each with the same batch.
IdealAndTime step_of_ranks(const PredictOptions& options, const ComputeModel& model, int ranks) {
  auto settings = options.step->settings;
  settings.ranks = ranks;
  auto trace = generate_briefly(options.step->model, settings);
  const auto scene = scene_of(options, trace, model, ranks);
  options.compute.scale_sizes(trace);
  const auto step = repeatable(options, trace, scene);
  return {step.ideal_s(), step.time_s()};
}

/// Whole nodes, and two or more whole copies of the weights where ranks share several copies.
int unit_of_ranks(const StepSettings& settings, int ranks_per_node) {
  return settings.is_hybrid() ? std::lcm(ranks_per_node, 2 * settings.shard_degree()) : ranks_per_node;
}

Solution solve(const PredictOptions& options, const StepTrace& trace, const Scene& scene, const ComputeModel& model) {
  if (*options.solve == Solve::bandwidth)
    return solve_bandwidth(repeatable(options, trace, scene), options.of_ideal_percent);
  return solve_ranks([&](int ranks) { return step_of_ranks(options, model, ranks); },
                     unit_of_ranks(options.step->settings, options.links.ranks_per_node), options.of_ideal_percent);
}

JsonRow solved_row(const Solution& solution) {
  return {{"what", solution.what == Solve::bandwidth ? "bandwidth_GBps" : "ranks"},
          {"of_ideal_percent", solution.wanted_percent},
          {"value", solution.value ? JsonRow(*solution.value) : JsonRow()},
          {"reached_percent", solution.percent},
          {"ideal_ms", solution.ideal_s * 1e3}};
}

/// Prints what would explain the measured time, and adds it to the row.
void print_explanations(const PredictOptions& options, const RepeatableStep& step, const ComputeModel& model,
                        JsonRow& row) {
  const bool has_device = !options.compute.device_of(step.trace).empty();
  std::optional<Interval> factors;
  if (is_modelled(options, step.trace, model)) factors = interval_of(family_of(step.trace, model), model.device);
  std::optional<double> peak_share;
  if (has_device)
    peak_share = model.device.knows_operators() ? model.device.product_efficiency : model.device.efficiency;
  const auto explanations = explain(step, *options.measured_s, factors, peak_share);
  fmt::print("{}", print(explanations, step.links, has_device ? model.device.name : "", peak_share));
  row["measured_s"] = *options.measured_s;
  row["is_expected"] = explanations.is_expected();
  for (const auto& each : explanations.all)
    row["explanations"][key_of(each.cause)] = each.needed ? JsonRow(*each.needed) : JsonRow();
  const auto* best = likeliest(explanations);
  row["likeliest"] = best ? JsonRow(key_of(best->cause)) : JsonRow();
}

/// The assumptions behind the times; those about memory come later.
std::vector<std::string> assumptions_of(const PredictOptions& options, const StepTrace& trace, const Scene& scene,
                                        const ComputeModel& model, const Network& network) {
  std::vector<std::string> all = network.assumptions();
  if (!options.fit) {
    for (const auto& doubt : doubts_of(options.links, model.device.name)) all.push_back("WARNING: " + doubt);
  }
  if (options.ranks_per_node && *options.ranks_per_node > 1 && !options.links.within)
    all.emplace_back(
        "WARNING: --ranks-per-node alone leaves the network flat: links within nodes are as slow as those between "
        "them; give --within-alpha-us and --within-bandwidth-GBps");
  const auto is_of_nodes = [](const Group& group) { return group.kind == Group::Kind::block; };
  if (!options.links.within && std::any_of(trace.groups.begin(), trace.groups.end(), is_of_nodes))
    all.emplace_back(
        "groups within nodes cost what others do; --within-alpha-us and --within-bandwidth-GBps say otherwise");
  if (options.step) {
    const auto& settings = options.step->settings;
    if (const auto words = overlap_comm_words(settings); !words.empty())
      all.push_back(fmt::format("{} {}", settings.framework.text(), words));
  }
  if (scene.contention > 0)
    all.push_back(
        fmt::format("computation beside communication takes {} % of that communication's time longer (--contention)",
                    short_number(100 * scene.contention)));
  if (options.jitter_percent > 0)
    all.push_back(fmt::format("computations last {} % longer on average, at random", options.jitter_percent));
  for (const auto& line : options.compute.assumptions(trace)) all.push_back(line);
  if (!model.device.is_calibrated_for(model.software))
    all.push_back(fmt::format("{} was calibrated with steps of {} software: launches and the interval are not its own",
                              model.device.name, software_of(*model.device.calibrated_software).name));
  if (scene.ranks != trace.ranks)
    all.push_back(
        fmt::format("the trace was made for {} ranks: its sizes are rounded up to multiples of {}, and "
                    "its calls are taken as they are; generate it anew to be exact",
                    trace.ranks, scene.ranks));
  return all;
}

/// The model's size, and what each GPU does.
void print_rates(const StepFlags::Step& step, const Device& device, double total_us) {
  const double tokens_per_s = static_cast<double>(step.settings.micro_batch * step.settings.sequence) *
                              step.settings.micro_steps * 1e6 / total_us;
  const double TFLOPS =
      tokens_per_s * training_operations_of_a_token(step.model, static_cast<double>(step.settings.sequence)) / 1e12;
  fmt::print(
      "{:.4g} billion parameters; each GPU: {:.0f} tokens/s, {:.0f} TFLOPS without recomputation (MFU {:.0f} %)\n",
      static_cast<double>(step.model.elements()) / 1e9, tokens_per_s, TFLOPS, 100 * TFLOPS / device.peak_TFLOPS);
}

Interval print_interval(const StepTrace& trace, const ComputeModel& model, double total_us) {
  const auto family = family_of(trace, model);
  const auto interval = interval_of(family, model.device);
  const Interval times_ms{total_us / 1e3 * interval.low, total_us / 1e3 * interval.high};
  fmt::print("interval: {:.3f} to {:.3f} ms, which hold {}\n", times_ms.low, times_ms.high,
             describe_interval(family, model.device));
  fmt::print("median: {:.3f} ms, which half of such steps exceed\n", median_of(times_ms));
  return times_ms;
}

/// The device's memory in bytes, if it and that of a rank are known.
std::optional<double> known_memory(const StepTrace& trace, int ranks, const Device& device) {
  const double bytes = device.memory_GiB * (1ULL << 30U);
  if (bytes <= 0 || trace.memory.empty() || ranks != trace.ranks) return std::nullopt;
  return bytes;
}

/// Says that the step cannot run, and what makes it fit; empty if it fits.
std::string misfit_words(const PredictOptions& options, const StepTrace& trace, double device_bytes,
                         const Device& device) {
  if (fits(trace.memory, device_bytes)) return "";
  auto text = fmt::format("OUT OF MEMORY on {}: a rank needs {} and can use {}, so this step cannot run\n", device.name,
                          readable_bytes(total_bytes(trace.memory)), readable_bytes(device_bytes * usable_share));
  if (options.step) {
    const auto change = change_that_fits(options.step->model, options.step->settings, device_bytes);
    text += change ? fmt::format("  it fits with {}\n", *change)
                   : fmt::format(
                         "  nothing makes it fit: smaller micro-batches, recomputation, more sharding (ZeRO 3, "
                         "FSDP) and more ranks, up to {}, were tried\n",
                         most_ranks_tried);
  }
  return text + "  the times below are those of the same device with enough memory\n\n";
}

/// Prints the memory that a rank needs, and returns why that is unknown; empty if it is known.
std::string print_memory(const StepTrace& trace, int ranks, const Device& device) {
  const auto bytes = known_memory(trace, ranks, device);
  if (!bytes) {
    if (device.memory_GiB <= 0) return {};
    if (trace.memory.empty()) return "the memory that a rank needs is unknown: the trace does not have it";
    return "the memory that a rank needs is known for the trace's own number of ranks only";
  }
  const auto largest = largest_micro_batch(trace.memory, trace.micro_batch, *bytes);
  fmt::print("\nmemory on {}: {}largest micro-batch: {}\n", device.name, describe(trace.memory, *bytes),
             largest ? std::to_string(*largest) : "unknown, as the trace does not say how much a sample needs");
  return {};
}

constexpr std::string_view warning = "WARNING: ";

/// What must be known before the numbers: a step that cannot run, and doubtful inputs.
void print_warnings(const std::string& misfit, const std::vector<std::string>& assumptions) {
  fmt::print("{}", misfit);
  bool has_warnings = false;
  for (const auto& line : assumptions) {
    if (!line.starts_with(warning)) continue;
    fmt::print("{}\n", line);
    has_warnings = true;
  }
  if (has_warnings) fmt::print("\n");
}

}  // namespace

int predict_command(PredictOptions options) {
  if (options.parallel)
    return predict_roles(options, generate(*options.parallel, options.compute.model.products),
                         notes_of(*options.parallel));
  StepTrace trace;
  if (options.step) {
    trace = generate(options.step->model, options.step->settings);
  } else {
    auto read = read_any_trace(options.file);
    if (const auto* with_roles = std::get_if<RoleTrace>(&read)) return predict_roles(options, *with_roles, {});
    trace = std::get<StepTrace>(std::move(read));
  }
  const int ranks = options.ranks.value_or(trace.ranks);
  check_groups(trace, ranks);
  options.links.ranks_per_node = options.ranks_per_node.value_or(trace.ranks_per_node.value_or(usual_ranks_per_node));
  const auto model = options.compute.model_for(trace);
  options.compute.check_ranks(ranks);
  const auto scene = scene_of(options, trace, model, ranks);
  options.compute.scale_sizes(trace);
  std::optional<Solution> solution;
  if (options.solve) solution = solve(options, trace, scene, model);
  if (!options.has_bandwidth) {
    const double solved_GBps = solution->value.value_or(0);
    options.links.between.GBps = solved_GBps > 0 ? solved_GBps : unlimited_GBps;
  }
  const auto network = network_of(options, options.links);
  const auto simulation = simulate(trace, scene, *network);

  auto assumptions = assumptions_of(options, trace, scene, model, *network);
  const auto memory = known_memory(trace, ranks, model.device);
  print_warnings(memory ? misfit_words(options, trace, *memory, model.device) : "", assumptions);
  fmt::print("{}", predicted_table(trace, ranks, simulation));
  std::optional<Interval> interval_ms;
  const bool has_interval = is_modelled(options, trace, model);
  if (has_interval && options.step) print_rates(*options.step, model.device, simulation.timeline.total_us);
  if (has_interval) interval_ms = print_interval(trace, model, simulation.timeline.total_us);
  if (auto unknown = print_memory(trace, ranks, model.device); !unknown.empty())
    assumptions.push_back(std::move(unknown));
  if (options.step) assumptions.insert(assumptions.end(), options.step->notes.begin(), options.step->notes.end());
  auto row = prediction_row(trace, ranks, simulation, interval_ms, assumptions);
  if (options.measured_s) print_explanations(options, repeatable(options, trace, scene), model, row);
  if (solution) {
    fmt::print("{}", print(*solution, options.links));
    row["solved"] = solved_row(*solution);
  }
  fmt::print("\nAssumptions:\n");
  for (const auto& line : assumptions) {
    if (!line.starts_with(warning)) fmt::print("  {}\n", line);
  }
  if (!options.json.empty()) write_file(options.json, json_rows({row}));
  if (!options.timeline.empty()) {
    TimelineFile file;
    file.add(simulation.slowest_rank, trace, simulation.timeline);
    file.write(options.timeline);
  }
  return exit_ok;
}

}  // namespace ringmark::replay
