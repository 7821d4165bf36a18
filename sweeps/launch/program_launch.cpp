#include "sweeps/launch/program_launch.hpp"

#include <filesystem>
#include <utility>

#include "sweeps/launch/environment_file.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/launch/launch_rows.hpp"
#include "sweeps/launch/loss_watch.hpp"

namespace ringmark::sweep {

std::vector<std::string> words_of_launch(const Resolved& resolved, const std::string& table,
                                         const std::string& choices) {
  auto words = program_words(keep_algorithms(resolved, choices));
  for (auto& word : words_for_files(table)) words.push_back(std::move(word));
  return words;
}

Ending run_program(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& words, CommandRun run,
                   Clock::duration patience, const SignalQueue& signals) {
  LossWatch losses(failures_beside(run.table), patience);
  run.watch.must_end = [&losses] { return losses.must_end(); };
  const EnvironmentFile environment(std::filesystem::absolute(run.log).replace_extension("environment").string(),
                                    resolved.environment);
  return run_command(launch_command(sweep, resolved, words, environment.path()), run, signals);
}

}  // namespace ringmark::sweep
