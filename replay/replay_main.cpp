#include "replay/replay_main.hpp"

#include "base/exit_status.hpp"
#include "bench/harness/launch.hpp"
#include "replay/commands.hpp"
#include "transports/bootstrap/launcher_variables.hpp"

namespace ringmark::replay {
namespace {

struct Answer {
  int operator()(const std::monostate& /*none*/) const { return exit_usage; }
  int operator()(const GenerateOptions& options) const { return generate_command(options); }
  int operator()(const ShowOptions& options) const { return show_command(options); }
  int operator()(const ImportOptions& options) const { return import_command(options); }
  int operator()(const PredictOptions& options) const { return predict_command(options); }
  int operator()(const ScoreOptions& options) const { return score_command(options); }
  int operator()(const CalibrateOptions& options) const { return calibrate_command(options); }
  int operator()(const ReplayOptions& options) const {
    return play_command({options, parsed.exit_status, parsed.output, parsed.problems}, argc - 1, argv + 1);
  }

  const Parsed<Request>& parsed;
  int argc;
  const char* const* argv;
};

}  // namespace

int replay_main(int argc, const char* const* argv) {
  const auto parsed = parse_command_line(argc, argv, launched_ranks());
  // A rank whose flags are refused tells the others, so `run` handles its problems itself.
  const bool is_run = std::holds_alternative<ReplayOptions>(parsed.options);
  if (parsed.exit_status && !is_run) return leave_with(parsed);
  return std::visit(Answer{parsed, argc, argv}, parsed.options);
}

}  // namespace ringmark::replay
