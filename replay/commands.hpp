// The subcommands of ringmark-replay; argv[0] is the subcommand's name. They return the exit status.
#pragma once

namespace ringmark::replay {

int generate_command(int argc, const char* const* argv);
int show_command(int argc, const char* const* argv);
int import_command(int argc, const char* const* argv);
/// The measuring one: under mpirun, or with --ranks N.
int run_command(int argc, const char* const* argv);
int predict_command(int argc, const char* const* argv);

}  // namespace ringmark::replay
