// The command line of ringmark-replay: one of its subcommands, with options of its own.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/flags/flag_facts.hpp"
#include "base/input/parsed.hpp"
#include "replay/flags/predict_options.hpp"
#include "replay/flags/replay_options.hpp"
#include "replay/flags/score_options.hpp"
#include "replay/flags/step_flags.hpp"
#include "replay/generate/megatron/arguments.hpp"
#include "replay/import/import.hpp"

namespace ringmark::replay {

struct GenerateOptions {
  std::variant<StepFlags::Step, RoleStep> step;
  std::string output;
};

struct ShowOptions {
  std::string file;
  bool events = false;
  std::optional<int> rank;
  std::string calls;  ///< the file for the rank's calls
};

struct ImportOptions {
  std::vector<std::string> files;
  std::string output;
  RecordingFacts given;
};

/// std::monostate if the command line has no subcommand.
using Request = std::variant<std::monostate, GenerateOptions, ShowOptions, ImportOptions, ReplayOptions, PredictOptions,
                             ScoreOptions, CalibrateOptions>;

/// The request is the subcommand's alternative even if its flags are refused. `ranks` is for `run`, as in ReplayFlags.
Parsed<Request> parse_command_line(int argc, const char* const* argv, std::optional<int> ranks);
std::vector<FlagFacts> replay_flags();

}  // namespace ringmark::replay
