#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text_table.hpp"
#include "replay/commands.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/memory.hpp"
#include "replay/predict/scorecard.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/step_table.hpp"
#include "replay/step/timeline_file.hpp"
#include "replay/trace/trace_file.hpp"

namespace ringmark::replay {
namespace {

constexpr int usual_ranks_per_node = 8;

}  // namespace

int predict_command(PredictOptions options) {
  auto trace = options.step ? generate(options.step->model, options.step->settings) : read_trace(options.file);
  const int ranks = options.ranks.value_or(trace.ranks);
  check_groups(trace, ranks);
  options.links.ranks_per_node = options.ranks_per_node.value_or(trace.ranks_per_node.value_or(usual_ranks_per_node));
  auto network = options.fit ? make_network(*options.fit, options.choice) : make_network(options.links);
  if (options.fit && options.links.within)
    network = make_network(std::move(network), *options.links.within, options.links.ranks_per_node);
  const auto model = options.compute.model_for(trace);
  options.compute.check_ranks(ranks);
  Scene scene{ranks, durations_us(trace, model), options.compute.slow_down, options.jitter_percent / 100};
  const bool is_modelled = !options.compute.device_of(trace).empty() && model.device.knows_operators();
  scene.contention = options.contention_percent.value_or(is_modelled ? 100 * usual_contention : 0) / 100;
  options.compute.scale_sizes(trace);
  const auto simulation = simulate(trace, scene, *network);

  std::vector<std::string> assumptions = network->assumptions();
  const auto is_of_nodes = [](const Group& group) { return group.kind == Group::Kind::block; };
  if (!options.links.within && std::any_of(trace.groups.begin(), trace.groups.end(), is_of_nodes))
    assumptions.emplace_back(
        "groups within nodes cost what others do; --within-alpha-us and --within-bandwidth-GBps say otherwise");
  if (scene.contention > 0)
    assumptions.push_back(
        fmt::format("computation beside communication takes {} % of that communication's time longer (--contention)",
                    short_number(100 * scene.contention)));
  if (options.jitter_percent > 0)
    assumptions.push_back(fmt::format("computations last {} % longer on average, at random", options.jitter_percent));
  for (const auto& line : options.compute.assumptions(trace)) assumptions.push_back(line);
  if (ranks != trace.ranks)
    assumptions.push_back(
        fmt::format("the trace was made for {} ranks: its sizes are rounded up to multiples of {}, and "
                    "its calls are taken as they are; generate it anew to be exact",
                    trace.ranks, ranks));
  fmt::print("{}", predicted_table(trace, ranks, simulation));
  if (is_modelled) {
    const auto interval = interval_of(model.device, model.software);
    const double total_ms = simulation.timeline.total_us / 1e3;
    fmt::print(
        "interval: {:.3f} to {:.3f} ms, which hold nine of ten {}\n", total_ms * interval.low, total_ms * interval.high,
        model.device.interval_low ? "calibrated steps"
                                  : fmt::format("published steps with {} software", software_of(model.software).name));
  }
  const double device_bytes = model.device.memory_GiB * (1ULL << 30U);
  if (device_bytes > 0 && !trace.memory.empty() && ranks == trace.ranks) {
    const auto largest = largest_micro_batch(trace.memory, trace.micro_batch, device_bytes);
    fmt::print("\nmemory on {}: {}largest micro-batch: {}\n", model.device.name, describe(trace.memory, device_bytes),
               largest ? std::to_string(*largest) : "unknown, as it is not told what a sample needs");
    if (options.step && !fits(trace.memory, device_bytes)) {
      const auto change = change_that_fits(options.step->model, options.step->settings, device_bytes);
      fmt::print("{}\n", change ? "it fits with " + *change : "it fits with none of the changes that were tried");
    }
  } else if (device_bytes > 0) {
    assumptions.push_back(trace.memory.empty() ? "what a rank must hold is not known: the trace does not tell"
                                               : "what a rank must hold is known of the trace's own number of ranks");
  }
  if (options.step) {
    for (const auto& note : options.step->notes) assumptions.push_back(note);
  }
  fmt::print("\nAssumptions:\n");
  for (const auto& line : assumptions) fmt::print("  {}\n", line);
  if (!options.timeline.empty())
    write_timelines(options.timeline, trace, {{simulation.slowest_rank, simulation.timeline}});
  return exit_ok;
}

}  // namespace ringmark::replay
