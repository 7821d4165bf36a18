#include <cstdio>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/printable.hpp"
#include "bench/harness/algorithms_file.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/memory_need.hpp"
#include "bench/harness/startup.hpp"
#include "replay/commands.hpp"
#include "replay/generate/memory_fit.hpp"
#include "replay/run/replay_session.hpp"
#include "results/files/provenance.hpp"
#include "transports/bootstrap/launcher_variables.hpp"
#include "transports/exchange.hpp"

namespace ringmark::replay {
namespace {

/// Empty if the step fits into the memory of the simulated device.
std::string why_out_of_memory(const ReplayOptions& options, const StepTrace& trace) {
  if (!options.compute.device) return "";
  const double bytes = options.compute.device->memory_GiB * (1ULL << 30U);
  if (bytes <= 0 || fits(trace.memory, bytes)) return "";
  return fmt::format("on a real {} the step would be {}", options.compute.device->name, describe(trace.memory, bytes));
}

/// GPUs compute if there are any. Ranks that share cores sleep while their devices would compute. Hosts in namespaces
/// of one machine count as one machine.
ComputeMode compute_mode_of(const ReplayOptions& options, const RankResources& resources) {
  if (options.compute_mode == "gpu" || (options.compute_mode == "auto" && resources.backend->gpu() != nullptr))
    return ComputeMode::on_gpu;
  if (options.compute_mode != "auto") return parse_compute_mode(options.compute_mode).value();
  return resources.core_share.is_tight() ? ComputeMode::asleep : ComputeMode::busy;
}

/// Ranks that replay different steps would wait for each other or mix up their bytes.
void require_one_trace(Control& control, const ReplayPlan& plan) {
  struct Identity {
    std::uint64_t events, fingerprint;  ///< events of a step without roles, which all ranks share
    bool operator==(const Identity&) const = default;
  };
  const auto all =
      exchange(control, "step", Identity{plan.has_roles() ? 0 : plan.trace.events.size(), plan.fingerprint});
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each != all.front(); });
  if (other == all.end()) return;
  const auto describe = [](const Identity& step) {
    return fmt::format("{}fingerprint {:016x}", step.events > 0 ? fmt::format("{} events, ", step.events) : "",
                       step.fingerprint);
  };
  throw BadUsage(
      fmt::format("the step differs between ranks: {} on rank 0, {} on rank {}; give all of them the same files",
                  describe(all.front()), describe(*other), other - all.begin()));
}

const std::vector<std::string>& notes_in(const ReplayOptions& options) {
  static const std::vector<std::string> none;
  if (options.parallel) return notes_of(*options.parallel);
  return options.step ? options.step->notes : none;
}

int run_rank(const ReplayOptions& options, const AnyTrace& given, const RunContext& context, Bootstrap& bootstrap,
             const std::shared_ptr<MpiLibrary>& library) {
  auto plan = make_plan(options, given, bootstrap.rank(), bootstrap.size());
  require_memory(bootstrap, Channels::host_bytes(plan.trace, bootstrap.size(), options.memory_kind()),
                 "the step's largest collectives", "use smaller buckets, or --scale-sizes");
  auto resources = make_rank_resources(bootstrap, options, library);
  require_one_trace(*resources.control, plan);
  plan.compute_mode = compute_mode_of(options, resources);
  const int status = run_and_tell(resources, [&] {
    Channels channels(plan.trace, make_communicator(resources, options, options.algorithm, true),
                      Deadline::after(options.timeout));
    std::unique_ptr<Sink> sink;
    if (bootstrap.rank() == 0) {
      sink = open_files(options, options.samples_path, Schema::replay);
      auto full = describe_world(context, options, resources, bootstrap);
      full.facts["trace"] = plan.trace.id;
      sink->begin(full);
      say("{}", path_in_words(full));
      for (const auto& line : options.compute.assumptions(plan.trace)) say("#  {}\n", line);
      std::fflush(stdout);  // steps may take minutes, and the output may be a file
      if (const auto need = why_out_of_memory(options, plan.trace); !need.empty()) complain(need);
      for (const auto& note : notes_in(options)) complain(note);
    }
    ReplaySession session(plan, options, resources, channels, context.run_id, sink.get());
    return session.run();
  });
  bootstrap.barrier();
  return status;
}

}  // namespace

int play_command(const Parsed<ReplayOptions>& parsed, int argc, const char* const* argv) {
  const auto& options = parsed.options;
  AnyTrace trace;
  const auto outcome = check_command_line(parsed, [&]() -> std::optional<int> {
    if (!options.file.empty()) trace = read_any_trace(options.file);
    if (own_rank(options) == 0) {
      open_files(options, options.samples_path, Schema::replay);
      check_algorithms_file(options);
    }
    // Problems with the step are found before any rank starts, if the number of ranks is known.
    if (const auto ranks = options.ranks ? options.ranks : launched_ranks())
      make_plan(options, trace, own_rank(options) % *ranks, *ranks);
    return std::nullopt;
  });
  const auto context = describe_run("ringmark replay", argc, argv, options.run_id);
  return run_ranks(outcome, options, argc, argv, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    return run_rank(options, trace, context, bootstrap, library);
  });
}

}  // namespace ringmark::replay
