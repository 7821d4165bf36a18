// The start of every measuring program: answers queries, refuses impossible requests, and describes the run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/flags/run_options.hpp"
#include "bench/harness/transports.hpp"
#include "results/files/sink.hpp"

namespace ringmark {

/// Why a rank cannot run, and the exit status for it.
struct Refusal {
  int status;
  std::string text;
};

/// The outcome of the command line alone. At most one member is set.
struct CommandLineOutcome {
  std::optional<int> exit_status;  ///< a query was answered: exit with this status
  std::optional<Refusal> refusal;  ///< bad flags, a transport that cannot be used, or what `own_checks` threw
};

/// Handles --help, --list and the like, then `own_checks`, which may return a status to exit with.
CommandLineOutcome check_command_line(const RunOptions& options, std::optional<int> parse_status,
                                      const std::string& output, const std::string& problems,
                                      const std::function<std::optional<int>()>& own_checks);
template <class Options>
CommandLineOutcome check_command_line(const Parsed<Options>& parsed,
                                      const std::function<std::optional<int>()>& own_checks) {
  return check_command_line(parsed.options, parsed.exit_status, parsed.output, to_text(parsed.problems), own_checks);
}

/// Throws BadUsage or Unusable if this machine cannot do what the options request over an additional transport.
void check_backend(RunOptions options, Transport transport);

/// Starts the ranks, lets them meet, and runs body in each. A rank that is refused still takes part in the meeting, so
/// that no rank waits for it in vain; without a launcher, a refusal ends the program immediately.
int run_ranks(const CommandLineOutcome& outcome, const RunOptions& options, int argc, const char* const* argv,
              const std::function<int(Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library)>& body);

/// Adds the facts that are known only after the ranks have met.
RunContext describe_world(RunContext context, const RunOptions& options, const RankResources& resources,
                          Bootstrap& bootstrap);

/// Writes rows of `schema` to the given files; a path may be empty. Throws BadUsage if one cannot be appended to.
std::unique_ptr<TeeSink> open_files(const RunOptions& options, const std::string& samples_path,
                                    Schema schema = Schema::collective);

}  // namespace ringmark
