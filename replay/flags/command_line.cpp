#include "replay/flags/command_line.hpp"

namespace ringmark::replay {
namespace {

class ReplayCommandLine {
 public:
  ReplayCommandLine();
  Parsed<Request> parse(int argc, const char* const* argv, std::optional<int> ranks);
  std::vector<FlagFacts> flags() const { return flags_.list_all(); }

 private:
  void check(std::optional<int> ranks);
  void read_step();
  Request request();

  Flags flags_{"ringmark-replay", "Replays training steps over a network, and predicts them.", version_line()};
  Flags& generate_ = flags_.subcommand(
      "generate", "write the trace of a step: DDP, ZeRO 1 to 3, ZeRO++, FSDP, FSDP2, Megatron, torchtitan");
  Flags& show_ = flags_.subcommand("show", "list the contents of a trace");
  Flags& import_ = flags_.subcommand(
      "import",
      "make a trace of one recorded step from PyTorch execution traces (Chakra ET), Kineto traces, PARAM traces, "
      "PyTorch Flight Recorder dumps, libringmark-capture.so recordings or NCCL logs; give one rank's file, or "
      "several ranks' to check them against each other");
  Flags& run_ = flags_.subcommand(
      "run", "replay a step: real collectives, with delays in place of computation; under mpirun, or with --ranks N");
  Flags& predict_ = flags_.subcommand("predict", "predict the time of a step on a network, at any number of ranks");
  Flags& score_ = flags_.subcommand("score", "compare predictions with measured steps");
  Flags& calibrate_ =
      flags_.subcommand("calibrate", "fit a device to steps measured on your cluster; one step is enough");

  GenerateOptions generate_options_;
  StepFlags generate_step_{generate_};
  std::optional<int> generate_ranks_;
  ShowOptions show_options_;
  ImportOptions import_options_;
  ReplayFlags replay_{run_};
  PredictFlags predict_flags_{predict_};
  ScoreOptions score_options_;
  CalibrateOptions calibrate_options_;
};

ReplayCommandLine::ReplayCommandLine() {
  constexpr int most_ranks = 1 << 20;
  constexpr auto output = "the trace; - for standard output";
  flags_.examples({"ringmark-replay generate --model opt-125m --zero 2 --grad-accum 4 --ranks 4 -o step.jsonl",
                   "ringmark-replay run step.jsonl --ranks 4 --device a100",
                   "ringmark-replay predict step.jsonl --ranks 64 --fit fit.json --device a100"},
                  "See ringmark-replay SUBCOMMAND --help for the flags of a subcommand.");

  generate_step_.declare();
  generate_step_.declare_parallel();
  generate_.number("--ranks", generate_ranks_, 1, most_ranks, "total number of ranks").required();
  generate_.group(heading::output);
  generate_.file("-o,--output", generate_options_.output, output).required();
  generate_.examples({"ringmark-replay generate --model opt-125m --zero 2 --grad-accum 4 --ranks 4 -o step.jsonl",
                      "ringmark-replay generate --model llama-8b --framework pytorch-fsdp --ranks 8 -o step.jsonl",
                      "ringmark-replay generate --model config.json --ds-config ds_config.json --ranks 16 -o -"});

  show_.file("trace", show_options_.file, "a step trace").required();
  show_.toggle("--events", show_options_.events, "also list each event");
  show_.number("--rank", show_options_.rank, 0, most_ranks, "the rank whose calls --calls writes");
  show_.file("--calls", show_options_.calls, "write that rank's calls to this file in program order, as JSON lines");
  show_.examples({"ringmark-replay show step.jsonl", "ringmark-replay show step.jsonl --events",
                  "ringmark-replay show step.jsonl --events | grep all_gather"});

  import_
      .texts("traces", import_options_.files, "recordings: one file per rank, or one file that stands for every rank")
      .required();
  import_.number("--ranks", import_options_.given.ranks, 1, most_ranks,
                 "number of ranks, if the files do not state it");
  import_.number("--steps", import_options_.given.steps, 1, most_ranks,
                 "number of identical steps recorded; the last one is used (1: all calls are one step)");
  import_.group(heading::output);
  import_.file("-o,--output", import_options_.output, output).required();
  import_.examples({"ringmark-replay import rank0.json rank1.json -o step.jsonl",
                    "ringmark-replay import trace.json --ranks 8 --steps 3 -o step.jsonl",
                    "ringmark-replay import nccl.log -o -"});
  declare(score_, score_options_);
  declare(calibrate_, calibrate_options_);
}

Parsed<Request> ReplayCommandLine::parse(int argc, const char* const* argv, std::optional<int> ranks) {
  Request nothing;
  auto parsed = flags_.read(nothing, argc, argv, [&] { check(ranks); });
  parsed.options = request();
  return parsed;
}

void ReplayCommandLine::check(std::optional<int> ranks) {
  if (generate_.is_chosen()) read_step();
  if (show_.is_chosen() && show_options_.rank.has_value() == show_options_.calls.empty())
    show_.add_problem({.flag = show_options_.rank ? "--rank" : "--calls",
                       .text = "--rank and --calls must be given together",
                       .remedy = "give both, or neither"});
  if (run_.is_chosen()) replay_.check(ranks);
  if (predict_.is_chosen()) predict_flags_.check();
}

void ReplayCommandLine::read_step() {
  const int ranks = generate_ranks_.value_or(1);
  if (auto parallel = generate_step_.interpret_parallel(ranks)) {
    generate_options_.step = *std::move(parallel);
  } else {
    generate_options_.step = generate_step_.interpret(ranks);
  }
}

Request ReplayCommandLine::request() {
  if (generate_.is_chosen()) return std::move(generate_options_);
  if (show_.is_chosen()) return std::move(show_options_);
  if (import_.is_chosen()) return std::move(import_options_);
  if (run_.is_chosen()) return std::move(replay_.options);
  if (predict_.is_chosen()) return std::move(predict_flags_.options);
  if (score_.is_chosen()) return std::move(score_options_);
  if (calibrate_.is_chosen()) return std::move(calibrate_options_);
  return {};
}

}  // namespace

Parsed<Request> parse_command_line(int argc, const char* const* argv, std::optional<int> ranks) {
  return ReplayCommandLine().parse(argc, argv, ranks);
}

std::vector<FlagFacts> replay_flags() { return ReplayCommandLine().flags(); }

}  // namespace ringmark::replay
