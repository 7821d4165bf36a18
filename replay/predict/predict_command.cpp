#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "replay/commands.hpp"
#include "replay/flags/compute_flags.hpp"
#include "replay/flags/step_flags.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/memory.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/step/step_table.hpp"
#include "replay/step/timeline_file.hpp"
#include "replay/trace/trace_file.hpp"

namespace ringmark::replay {
namespace {

struct PredictOptions {
  std::string file, timeline;
  std::optional<StepFlags::Step> step;
  std::optional<int> ranks, ranks_per_node;
  std::optional<Fit> fit;
  FitChoice choice;
  Links links;
  ComputeFlags::Given compute;
  double jitter = 0;
};

class NetworkFlags {
 public:
  void declare(CLI::App& app) {
    app.add_option("--fit", fit_, "fit.json of ringmark-analyze fit: the network as it was measured");
    app.add_option("--fit-transport", choice_.transport, "of the fit's models, those of this transport");
    app.add_option("--fit-network", choice_.network, "and of this network");
    app.add_option("--fit-settings", choice_.settings, "and of these settings, as tcp.sockets=4; '' for nothing set");
    app.add_option("--alpha-us", alpha_, "instead of a fit: microseconds of an empty message");
    app.add_option("--bandwidth-GBps", bandwidth_,
                   "and the bandwidth of a rank, or of a node if there are several in it");
    app.add_option("--burst", burst_,
                   "bytes that a link lets through at once after it has rested, as 128K (0); of a flat network");
    app.add_option("--within-alpha-us", within_alpha_, "within a node, also beside a fit");
    app.add_option("--within-bandwidth-GBps", within_bandwidth_, "of a rank within its node");
  }

  void interpret(FlagReader& read, PredictOptions& options) const {
    options.choice = choice_;
    const bool is_given = !alpha_.empty() || !bandwidth_.empty() || !burst_.empty();
    interpret_within(read, options);
    if (fit_.empty() && !(choice_.transport.empty() && choice_.network.empty() && !choice_.settings))
      read.problem(
          "--fit-transport, --fit-network and --fit-settings choose among the models of --fit; give that as well");
    if (!fit_.empty()) {
      if (is_given) read.problem("--fit {}: says what alpha, bandwidth and burst say; leave one out", fit_);
      options.fit = read_fit(fit_);
      return;
    }
    if (alpha_.empty() || bandwidth_.empty()) {
      read.problem("the network: give --fit fit.json, or --alpha-us A and --bandwidth-GBps B");
      return;
    }
    read.number("--alpha-us", alpha_, 0.0, 1e6, options.links.between.alpha_us);
    read.number("--bandwidth-GBps", bandwidth_, 1e-6, 1e6, options.links.between.GBps);
    if (!burst_.empty()) {
      std::size_t bytes = 0;
      read.size("--burst", burst_, bytes);
      options.links.burst_bytes = static_cast<double>(bytes);
      if (!within_alpha_.empty()) read.problem("--burst {}: is of a flat network; leave --within-alpha-us out", burst_);
    }
  }

 private:
  void interpret_within(FlagReader& read, PredictOptions& options) const {
    if (within_alpha_.empty() != within_bandwidth_.empty())
      read.problem("within a node: give both --within-alpha-us and --within-bandwidth-GBps");
    if (within_alpha_.empty() || within_bandwidth_.empty()) return;
    auto& within = options.links.within.emplace();
    read.number("--within-alpha-us", within_alpha_, 0.0, 1e6, within.alpha_us);
    read.number("--within-bandwidth-GBps", within_bandwidth_, 1e-6, 1e6, within.GBps);
  }

  std::string fit_, alpha_, bandwidth_, burst_, within_alpha_, within_bandwidth_;
  FitChoice choice_;
};

Parsed<PredictOptions> parse(int argc, const char* const* argv) {
  PredictOptions options;
  StepFlags step;
  ComputeFlags compute;
  NetworkFlags network;
  std::string ranks, jitter;
  CLI::App app("Says how long a step takes at sizes that nobody has measured.", "ringmark-replay predict");
  app.add_option("--trace,trace", options.file, "a steptrace/1 file; or describe the step by flags");
  app.add_option("--ranks", ranks, "data-parallel ranks (the trace's)");
  step.declare(app);
  compute.declare(app);
  network.declare(app);
  app.add_option("--jitter", jitter, "computations last longer at random, in percent on average");
  app.add_option("--timeline", options.timeline, "write the slowest rank's step as a Chrome trace");
  return parse_with(app, options, argc, argv, [&](FlagReader& read) {
    if (!ranks.empty()) read.number("--ranks", ranks, 1, 1 << 20, options.ranks.emplace());
    if (step.describe_a_step(read, options.file)) {
      if (!options.ranks) read.problem("--ranks: missing");
      options.step = step.interpret(read, options.ranks.value_or(1));
    }
    options.compute = compute.interpret(read);
    double percent = 0;
    if (!jitter.empty()) read.number("--jitter", jitter, 0.0, 1000.0, percent);
    options.jitter = percent / 100;
    if (!options.step) options.ranks_per_node = step.ranks_per_node(read);
    network.interpret(read, options);
  });
}

/// As the trace's header has it.
int ranks_per_node_of(const StepTrace& trace) {
  int ranks = 8;
  read_number(trace.parameter("n"), 1, 1 << 20, ranks);
  return ranks;
}

}  // namespace

int predict_command(int argc, const char* const* argv) {
  auto parsed = parse(argc, argv);
  if (parsed.exit_status) return leave_with(parsed);
  auto& options = parsed.options;
  auto trace = options.step ? generate(options.step->model, options.step->settings) : read_trace(options.file);
  const int ranks = options.ranks.value_or(trace.ranks);
  check_groups(trace, ranks);
  options.links.ranks_per_node = options.ranks_per_node.value_or(ranks_per_node_of(trace));
  auto network = options.fit ? make_network(*options.fit, options.choice) : make_network(options.links);
  if (options.fit && options.links.within)
    network = make_network(std::move(network), *options.links.within, options.links.ranks_per_node);
  const auto model = options.compute.model_for(trace);
  options.compute.check_ranks(ranks);
  const Scene scene{ranks, durations_us(trace, model), options.compute.slow_down, options.jitter};
  options.compute.scale_sizes(trace);
  const auto simulation = simulate(trace, scene, *network);

  std::vector<std::string> assumptions = network->assumptions();
  const auto is_of_nodes = [](const Group& group) { return group.kind == Group::Kind::block; };
  if (!options.links.within && std::any_of(trace.groups.begin(), trace.groups.end(), is_of_nodes))
    assumptions.emplace_back(
        "groups within nodes cost what others do; --within-alpha-us and --within-bandwidth-GBps say otherwise");
  if (options.jitter > 0)
    assumptions.push_back(fmt::format("computations last {} % longer on average, at random", 100 * options.jitter));
  for (const auto& line : options.compute.assumptions(trace)) assumptions.push_back(line);
  if (ranks != trace.ranks)
    assumptions.push_back(
        fmt::format("the trace was made for {} ranks: its sizes are rounded up to multiples of {}, and "
                    "its calls are taken as they are; generate it anew to be exact",
                    trace.ranks, ranks));
  fmt::print("{}", predicted_table(trace, ranks, simulation));
  const double device_bytes = model.device.memory_GiB * (1ULL << 30U);
  if (device_bytes > 0 && !trace.memory.empty() && ranks == trace.ranks) {
    const auto largest = largest_micro_batch(trace.memory, trace.micro_batch, device_bytes);
    fmt::print("\nmemory on {}: {}largest micro-batch: {}\n", model.device.name, describe(trace.memory, device_bytes),
               largest ? std::to_string(*largest) : "unknown, as it is not told what a sample needs");
  } else if (device_bytes > 0) {
    assumptions.push_back(trace.memory.empty() ? "what a rank must hold is not known: the trace does not tell"
                                               : "what a rank must hold is known of the trace's own number of ranks");
  }
  if (options.step) {
    for (const auto& note : options.step->notes) assumptions.push_back(note);
  }
  fmt::print("\nIt rests on:\n");
  for (const auto& line : assumptions) fmt::print("  {}\n", line);
  if (!options.timeline.empty())
    write_timelines(options.timeline, trace, {{simulation.slowest_rank, simulation.timeline}});
  return exit_ok;
}

}  // namespace ringmark::replay
