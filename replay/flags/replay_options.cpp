#include "replay/flags/replay_options.hpp"

#include <array>
#include <filesystem>
#include <set>

#include <CLI/CLI.hpp>

#include "transports/schedules/catalogue.hpp"

namespace ringmark::replay {

Parsed<ReplayOptions> parse_replay_options(int argc, const char* const* argv, std::optional<int> ranks) {
  ReplayOptions options;
  RunFlags common("20");
  StepFlags step;
  ComputeFlags compute;
  std::string check = "1";
  CLI::App app(
      "Replays a training step: its collectives for real, its computation as time. Start it with mpirun, or with "
      "--ranks N.",
      "ringmark-replay run");
  app.add_option("--trace,trace", options.file, "a steptrace/1 file; or describe the step by flags");
  step.declare(app);
  compute.declare(app);
  app.add_option("--algorithm", options.algorithm, "the schedule, where a collective has it; auto")
      ->capture_default_str();
  app.add_option("--compute", options.pretence,
                 "while the device would compute: busy, asleep, gpu (with nccl), or auto")
      ->capture_default_str();
  app.add_option("-c,--check", check, "1: carry out each collective once with known numbers before")
      ->capture_default_str();
  app.add_option("--timeline", options.timeline, "write the last step of all ranks as a Chrome trace, for Perfetto");
  app.add_option("--samples", options.samples_path, "append each step of every rank to this file, as JSON lines");
  common.declare(app, options);
  return parse_with(app, options, argc, argv, [&](FlagReader& read) {
    const bool knows_transport = common.interpret(read, options);
    read.choice("--compute", options.pretence, std::array{"auto", "busy", "asleep", "gpu"});
    if (options.pretence == "gpu" && knows_transport && options.transport != Transport::nccl)
      read.problem("--compute gpu: is for --transport nccl, whose ranks have a GPU");
    read.choice("--check", check, std::array{"0", "1"});
    options.check = check == "1";
    std::set<std::string> algorithms{"auto"};
    for (const auto collective : all_collectives()) {
      for (const auto name : algorithms_for(collective)) algorithms.emplace(name);
    }
    read.choice("--algorithm", options.algorithm, algorithms);
    refuse_algorithm(read, options.transport, options.algorithm);
    const bool lists = options.list || options.list_options || options.list_parameters;
    if (step.describe_a_step(read, options.file, !lists))
      options.step = step.interpret(read, options.ranks ? *options.ranks : ranks.value_or(1));
    options.compute = compute.interpret(read);
    const auto folder = std::filesystem::path(options.timeline).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      read.problem("--timeline {}: there is no folder {}", options.timeline, folder.string());
  });
}

}  // namespace ringmark::replay
