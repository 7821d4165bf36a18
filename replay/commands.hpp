// The subcommands of ringmark-replay. They return the exit status.
#pragma once

#include "replay/flags/command_line.hpp"

namespace ringmark::replay {

int generate_command(const GenerateOptions& options);
int show_command(const ShowOptions& options);
int import_command(const ImportOptions& options);
/// Replays a step, under mpirun or with --ranks N. Refused flags are reported to all ranks. argv[0] is "run".
int play_command(const Parsed<ReplayOptions>& parsed, int argc, const char* const* argv);
int predict_command(PredictOptions options);
int score_command(const ScoreOptions& options);
int calibrate_command(const CalibrateOptions& options);

}  // namespace ringmark::replay
