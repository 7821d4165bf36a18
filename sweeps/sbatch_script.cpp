#include "sweeps/sbatch_script.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/shell_text.hpp"
#include "sweeps/emitted_run.hpp"
#include "sweeps/move.hpp"
#include "sweeps/program.hpp"
#include "sweeps/time_limit.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto script = R"(#!/bin/bash
{question}# Submit it with sbatch. It stops the sweep before the time limit and queues itself again; the next job goes on.
#SBATCH --job-name=ringmark-sweep
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node={ranks_per_node}
#SBATCH --time={time_limit}
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=ringmark-sweep-%j.log
# Choices: remove one # of a line that your cluster needs.
##SBATCH --partition=NAME
##SBATCH --account=NAME
##SBATCH --exclusive
##SBATCH --gpus-per-node={ranks_per_node}
##SBATCH --cpus-per-task=8
results={results}
if [ -s "$results/journal" ]; then
  {resume} "$results" &
else
  {run} -o "$results" &
fi
sweep=$!
queue_again() {{
  kill -TERM "$sweep"
  wait "$sweep"
  status=$?
  [ $status = 143 ] || exit $status
  scontrol requeue "$SLURM_JOB_ID"
  exit
}}
trap queue_again USR1
wait "$sweep"
)";

}  // namespace

std::string sbatch_script(const CheckedSweep& checked, const std::string& sweep_file, const Overrides& overrides,
                          const SbatchOptions& options) {
  static_cast<void>(parse_time_limit(options.time_limit));
  const auto need = need_of(checked);
  return fmt::format(
      fmt::runtime(script), fmt::arg("question", as_comment(checked.sweep.question)), fmt::arg("nodes", need.hosts),
      fmt::arg("ranks_per_node", need.ranks_per_node), fmt::arg("time_limit", options.time_limit),
      fmt::arg("results", shell_word(std::filesystem::absolute(options.results).string())),
      fmt::arg("resume", shell_words({path_of("ringmark-sweep"), "resume"})),
      fmt::arg("run", shell_words(run_words(path_of("ringmark-sweep"), std::filesystem::absolute(sweep_file).string(),
                                            overrides, "slurm"))));
}

}  // namespace ringmark::sweep
