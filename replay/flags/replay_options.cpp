#include "replay/flags/replay_options.hpp"

#include <filesystem>
#include <set>

#include "transports/schedules/catalogue.hpp"

namespace ringmark::replay {
namespace {

/// Every algorithm that some collective has.
std::vector<std::string_view> all_algorithms() {
  std::set<std::string_view> names;
  for (const auto collective : all_collectives()) {
    for (const auto name : algorithms_for(collective)) names.emplace(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

ReplayFlags::ReplayFlags(Flags& flags) : flags_(flags) {
  constexpr auto trace = "a steptrace/1 or steptrace/2 file; or describe the step by flags";
  flags_.group(heading::measured);
  flags_.file("--trace,trace", options.file, trace);
  step_.declare();
  step_.declare_parallel();
  compute_.declare();
  flags_.choice(
      "--compute", options.compute_mode,
      {{"auto", "auto"}, {"busy", "busy"}, {"asleep", "asleep"}, {"gpu", "gpu"}, {"work", "work"}},
      "what ranks do while the device would compute: busy, asleep, gpu (with nccl), or auto; work: arithmetic that "
      "takes the fastest rank that long, which reveals slow processors");
  flags_.group(heading::measured);
  declare_algorithm(flags_, options.algorithm, options, all_algorithms());
  flags_.choice("-c,--check", options.check, {{"1", true}, {"0", false}},
                "1: first run each collective once on known numbers and verify the result; 0: do not");
  common_.declare_duration(flags_);
  common_.declare_output(flags_);
  flags_.file("--samples", options.samples_path, "append each step of every rank to this file, as JSON lines");
  flags_.file("--timeline", options.timeline,
              "write the last step of all ranks as a Chrome trace, for Perfetto; as a chart if the name ends in .svg");
  common_.declare_rest(flags_);
  flags_.examples({"ringmark-replay run step.jsonl --ranks 4 --device a100",
                   "mpirun -n 8 ringmark-replay run --model opt-1.3b --zero 2 --grad-accum 4 --device h100",
                   "mpirun -n 8 ringmark-replay run step.jsonl --forward-ms 30 --backward-ms 60 --csv steps.csv"});
}

void ReplayFlags::check(std::optional<int> ranks) {
  common_.check(flags_);
  if (options.compute_mode == "gpu" && !facts_of(options.transport).computes_on_gpu)
    flags_.problem("--compute", "needs --transport nccl, whose ranks have a GPU");
  refuse_algorithm(flags_, options, options.algorithm);
  const auto folder = std::filesystem::path(options.timeline).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    flags_.problem("--timeline", fmt::format("the folder {} does not exist", folder.string()));
  const auto started = options.ranks ? options.ranks : ranks;
  const bool lists = options.list || options.list_options || options.list_parameters;
  options.parallel = step_.interpret_parallel(started.value_or(1));
  if (options.parallel) {
    if (!options.file.empty())
      flags_.problem("--trace", "already describes the step", "leave it out, or the flags of parallelism");
    if (!started && !lists) flags_.problem("--ranks", "is missing");
  } else if (step_.describe_a_step(options.file, !lists)) {
    options.step = step_.interpret(started.value_or(1));
  }
  options.compute = compute_.interpret();
  options.compute.software = step_.software();
}

}  // namespace ringmark::replay
