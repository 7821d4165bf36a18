#include "replay/flags/predict_options.hpp"

#include <numeric>

#include "bench/flags/run_options.hpp"
#include "replay/predict/scorecard.hpp"

namespace ringmark::replay {

PredictFlags::PredictFlags(Flags& flags) : flags_(flags) {
  flags_.group(heading::measured);
  flags_.file("--trace,trace", options.file, "a step trace; or describe the step by flags");
  flags_.number("--ranks", options.ranks, 1, 1 << 20, "number of ranks; by default the trace's");
  step_.declare();
  step_.declare_parallel();
  compute_.declare();
  flags_.percent("--jitter", options.jitter_percent, 0, 1000,
                 "make computations take longer at random: an exponentially distributed share with this mean");
  flags_.percent("--contention", options.contention_percent, 0, 1000,
                 "computation takes longer by this share of the time of the communication alongside it; by default 30 "
                 "with a shipped or calibrated device, else 0");
  declare_network();
  declare_backwards();
  flags_.group(heading::output);
  flags_.file("--json", options.json, "also write the prediction, as a row of schema prediction/1");
  flags_.file(
      "--timeline", options.timeline,
      "write the step of the slowest rank, or of a rank of each role, as a Chrome trace; as a chart if the name "
      "ends in .svg");
  flags_.examples({"ringmark-replay predict step.jsonl --ranks 64 --fit fit.json --device a100",
                   "ringmark-replay predict step.jsonl --alpha-us 5 --bandwidth-GBps 12.5 --device h100",
                   "ringmark-replay predict --model llama-8b --zero 3 --ranks 512 --fit fit.json --device h100",
                   "ringmark-replay predict step.jsonl --alpha-us 5 --bandwidth-GBps 50 --device h100 --measured-s 2.4",
                   "ringmark-replay predict step.jsonl --alpha-us 5 --device h100 --solve bandwidth --of-ideal 90"});
}

void PredictFlags::declare_network() {
  constexpr double most_us = 1e6, least_GBps = 1e-6, most_GBps = 1e6;
  flags_.group("Network");
  flags_.file("--fit", fit_, "fit.json from ringmark-analyze fit: the network as measured");
  flags_.text("--fit-transport", options.choice.transport, "use the fit's models of this transport");
  flags_.text("--fit-network", options.choice.network, "use the fit's models of this network");
  flags_
      .text("--fit-settings", options.choice.settings,
            "use the fit's models of these settings, such as tcp.sockets=4; '' for default settings")
      .may_be_empty();
  flags_.number("--alpha-us", alpha_us_, 0, most_us, "time of an empty message, without a fit or in place of its alpha",
                "MICROSECONDS");
  flags_.number("--bandwidth-GBps", GBps_, least_GBps, most_GBps,
                "bandwidth in 1e9 bytes/s, each way: of a rank, or of a node if --within-… flags are given", "GBPS");
  flags_.named(
      "--transport", transport_, all_transports(),
      "whose algorithms collectives use on these links: NCCL's, which is the default if links within nodes are given, "
      "or Ringmark's schedules");
  flags_.size("--burst", burst_bytes_,
              "bytes that an idle link lets through at once, such as 128K; only for a flat network");
  flags_.number("--within-alpha-us", within_alpha_us_, 0, most_us,
                "time of an empty message within a node, also in place of a fit's", "MICROSECONDS");
  flags_.number("--within-bandwidth-GBps", within_GBps_, least_GBps, most_GBps,
                "bandwidth of a rank within its node, also in place of a fit's", "GBPS");
}

void PredictFlags::declare_backwards() {
  constexpr double least_s = 1e-9, most_s = 1e9, least_percent = 0.01, most_percent = 100;
  flags_.group("Solving for an input");
  flags_.number("--measured-s", options.measured_s, least_s, most_s,
                "measured time of the step: also print which bandwidth, device efficiency or time outside the model "
                "would explain it",
                "SECONDS");
  flags_.choice("--solve", options.solve, {{"bandwidth", Solve::bandwidth}, {"ranks", Solve::ranks}},
                "find the smallest bandwidth between nodes, or the largest number of ranks, that reaches --of-ideal");
  flags_.percent("--of-ideal", of_ideal_percent_, least_percent, most_percent,
                 "speed to reach with --solve, in percent of the step's speed on a perfect network, where "
                 "communication takes no time");
}

void PredictFlags::check() {
  options.parallel = step_.interpret_parallel(options.ranks.value_or(1));
  if (options.parallel) {
    if (!options.file.empty())
      flags_.problem("trace", "already describes the step", "leave it out, or the flags of parallelism");
    if (!options.ranks && options.solve != Solve::ranks) flags_.problem("--ranks", "is missing");
    if (!options.ranks) set_ranks(*options.parallel, std::lcm(usual_ranks(), unit_of_ranks(*options.parallel)));
  } else if (step_.describe_a_step(options.file)) {
    if (!options.ranks && options.solve != Solve::ranks) flags_.problem("--ranks", "is missing");
    options.step = step_.interpret(options.ranks.value_or(usual_ranks()));
  }
  check_backwards();
  options.compute = compute_.interpret();
  options.compute.software = step_.software();
  options.ranks_per_node = step_.ranks_per_node();
  check_within();
  check_network();
}

/// The number of ranks where --ranks is not needed: for --solve ranks two nodes, so that a copy of the weights can be
/// sharded within each.
int PredictFlags::usual_ranks() {
  return options.solve == Solve::ranks ? 2 * step_.ranks_per_node().value_or(StepSettings().ranks_per_node) : 1;
}

void PredictFlags::check_backwards() {
  if (options.solve && !of_ideal_percent_)
    flags_.problem("--solve", "needs the speed to reach", "give --of-ideal PERCENT, such as 90");
  if (!options.solve && of_ideal_percent_)
    flags_.problem("--of-ideal", "needs the value to find", "give --solve bandwidth or --solve ranks");
  options.of_ideal_percent = of_ideal_percent_.value_or(100);
  options.has_bandwidth = GBps_ || !fit_.empty();
  if (options.solve == Solve::bandwidth && !fit_.empty())
    flags_.problem("--solve", "cannot vary the bandwidth of a fit", "give --alpha-us A instead of --fit");
  if (options.solve == Solve::bandwidth && options.measured_s && !options.has_bandwidth)
    flags_.problem("--measured-s", "needs a prediction for a network of known bandwidth",
                   "give --bandwidth-GBps as well");
  if (options.solve == Solve::ranks) check_solve_ranks();
}

void PredictFlags::check_solve_ranks() {
  if (!options.file.empty())
    flags_.problem("--solve", "generates the step for each number of ranks, but a trace has a fixed number",
                   "describe the step by --model and its flags");
  for (const char* flag : {"--jitter", "--slow-down"}) {
    if (flags_.is_given(flag))
      flags_.problem(flag, "cannot be combined with --solve ranks, which assumes identical ranks", "leave it out");
  }
}

void PredictFlags::check_network() {
  for (const char* flag : {"--fit-transport", "--fit-network", "--fit-settings"}) {
    if (fit_.empty() && flags_.is_given(flag))
      flags_.problem(flag, "chooses among the models of --fit", "give --fit as well");
  }
  if (!fit_.empty()) {
    for (const char* flag : {"--bandwidth-GBps", "--burst", "--transport"}) {
      if (flags_.is_given(flag))
        flags_.problem("--fit", fmt::format("cannot be combined with {}", flag), "leave one out");
    }
    take_fit();
    return;
  }
  require_both_within();
  const bool needs_bandwidth = options.solve != Solve::bandwidth;
  if (!flags_.is_given("--alpha-us") || (needs_bandwidth && !flags_.is_given("--bandwidth-GBps"))) {
    flags_.add_problem({.text = "the network is missing",
                        .remedy = needs_bandwidth
                                      ? "give --fit fit.json, or --alpha-us A and --bandwidth-GBps B"
                                      : "give --alpha-us A, with which --solve bandwidth finds the bandwidth"});
    return;
  }
  options.links.between = {alpha_us_.value_or(0), GBps_.value_or(1)};
  options.links.transport = transport_.value_or(options.links.within ? Transport::nccl : Transport::tcp);
  options.links.burst_bytes = static_cast<double>(burst_bytes_);
  if (burst_bytes_ > 0 && within_alpha_us_)
    flags_.problem("--burst", "is only for a flat network", "leave --within-alpha-us out");
}

/// If the fit has NCCL's links, they replace it, and flags replace some of their values.
void PredictFlags::take_fit() {
  options.fit = read_fit(fit_);
  auto links = fitted_links(*options.fit, options.choice, {alpha_us_, within_alpha_us_, within_GBps_});
  if (!links) {
    if (alpha_us_)
      flags_.problem("--fit", "has no NCCL links, so its alpha cannot be replaced by --alpha-us", "leave one out");
    require_both_within();
    return;
  }
  if (!flags_.is_given("--ranks-per-node")) options.ranks_per_node = links->ranks_per_node;
  options.links = *std::move(links);
  options.fit.reset();
}

void PredictFlags::check_within() {
  if (within_alpha_us_ && within_GBps_) options.links.within = Link{*within_alpha_us_, *within_GBps_};
}

/// Without a fit that has the other one, each of the two flags needs the other.
void PredictFlags::require_both_within() {
  for (const auto& [flag, other] : {std::pair{"--within-alpha-us", "--within-bandwidth-GBps"},
                                    std::pair{"--within-bandwidth-GBps", "--within-alpha-us"}}) {
    if (flags_.is_given(flag) && !flags_.is_given(other)) flags_.problem(flag, fmt::format("{} is missing", other));
  }
}

std::unique_ptr<Network> network_of(const PredictOptions& options, const Links& links) {
  if (!options.fit) return make_network(links);
  auto network = make_network(*options.fit, options.choice);
  if (!links.within) return network;
  return make_network(std::move(network), *links.within, links.ranks_per_node);
}

bool is_modelled(const PredictOptions& options, const StepTrace& trace, const ComputeModel& model) {
  return !options.compute.device_of(trace).empty() && model.device.knows_operators();
}

double contention_of(const PredictOptions& options, const StepTrace& trace, const ComputeModel& model) {
  const double usual = is_modelled(options, trace, model) ? 100 * usual_contention : 0;
  return options.contention_percent.value_or(usual) / 100;
}

Scene scene_of(const PredictOptions& options, const StepTrace& trace, const ComputeModel& model, int ranks) {
  Scene scene{ranks, durations_us(trace, model), options.compute.slow_down, options.jitter_percent / 100};
  scene.contention = contention_of(options, trace, model);
  return scene;
}

}  // namespace ringmark::replay
