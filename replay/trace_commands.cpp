#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "replay/commands.hpp"
#include "replay/flags/step_flags.hpp"
#include "replay/generate/generate.hpp"
#include "replay/import/import.hpp"
#include "replay/trace/show.hpp"
#include "replay/trace/trace_file.hpp"

namespace ringmark::replay {
namespace {

struct GenerateOptions {
  StepFlags::Step step;
  std::string output;
};

Parsed<GenerateOptions> parse(int argc, const char* const* argv) {
  GenerateOptions options;
  StepFlags flags;
  std::string ranks;
  CLI::App app("Writes the collectives and the computation of one optimizer step, as a framework issues them.",
               "ringmark-replay generate");
  flags.declare(app);
  app.add_option("--ranks", ranks, "data-parallel ranks")->required();
  app.add_option("-o,--output", options.output, "the trace; - for standard output")->required();
  return parse_with(app, options, argc, argv, [&](FlagReader& read) {
    int count = 1;
    read.number("--ranks", ranks, 1, 1 << 20, count);
    options.step = flags.interpret(read, count);
  });
}

}  // namespace

int generate_command(int argc, const char* const* argv) {
  const auto parsed = parse(argc, argv);
  if (parsed.exit_status) return leave_with(parsed);
  const auto& [step, output] = parsed.options;
  for (const auto& note : step.notes) fmt::print(stderr, "ringmark-replay: {}\n", note);
  const auto trace = generate(step.model, step.settings);
  write_trace(trace, output);
  if (output != "-") fmt::print("{}", show(trace, false));
  return exit_ok;
}

int import_command(int argc, const char* const* argv) {
  struct ImportOptions {
    std::vector<std::string> files;
    std::string output;
    ToldOfRecording told;
  } options;
  std::string ranks, steps;
  CLI::App app(
      "Makes a step trace of one recorded step: PyTorch execution traces (Chakra ET), Kineto traces, PARAM traces, "
      "what libringmark-capture.so wrote, NCCL's logs; of one rank, or of several that are checked against each other.",
      "ringmark-replay import");
  app.add_option("traces", options.files, "files, one for each rank, or one for all")->required();
  app.add_option("--ranks", ranks, "if the files do not say it");
  app.add_option("--steps", steps, "that a recording has, of the same calls; the last is taken (1: all calls are one)");
  app.add_option("-o,--output", options.output, "the trace; - for standard output")->required();
  const auto parsed = parse_with(app, options, argc, argv, [&](FlagReader& read) {
    if (!ranks.empty()) read.number("--ranks", ranks, 1, 1 << 20, options.told.ranks.emplace());
    if (!steps.empty()) read.number("--steps", steps, 1, 1 << 20, options.told.steps.emplace());
  });
  if (parsed.exit_status) return leave_with(parsed);
  std::vector<std::string> notes;
  const auto trace = import_files(parsed.options.files, parsed.options.told, notes);
  for (const auto& note : notes) fmt::print(stderr, "ringmark-replay: {}\n", note);
  write_trace(trace, parsed.options.output);
  if (parsed.options.output != "-") fmt::print("{}", show(trace, false));
  return exit_ok;
}

int show_command(int argc, const char* const* argv) {
  struct ShowOptions {
    std::string file;
    bool events = false;
  } options;
  CLI::App app("Says what a step trace consists of.", "ringmark-replay show");
  app.add_option("trace", options.file, "a steptrace/1 file")->required();
  app.add_flag("--events", options.events, "each event as well");
  const auto parsed = parse_with(app, options, argc, argv, [](FlagReader&) {});
  if (parsed.exit_status) return leave_with(parsed);
  fmt::print("{}", show(read_trace(parsed.options.file), parsed.options.events));
  return exit_ok;
}

}  // namespace ringmark::replay
