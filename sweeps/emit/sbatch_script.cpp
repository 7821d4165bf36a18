#include "sweeps/emit/sbatch_script.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/shell_text.hpp"
#include "sweeps/emit/emitted_run.hpp"
#include "sweeps/file/program.hpp"
#include "sweeps/file/time_limit.hpp"
#include "sweeps/run/move.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto script = R"script(#!/bin/bash
{question}# Submit it with sbatch. It stops the sweep before the time limit and requeues itself; the next job resumes.
#SBATCH --job-name=ringmark-sweep
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node={ranks_per_node}
#SBATCH --time={time_limit}
#SBATCH --signal=B:USR1@{seconds_to_stop}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=ringmark-sweep-%j.log
{needs}# Optional: remove one # from each line that your cluster needs.
##SBATCH --partition=NAME
##SBATCH --account=NAME
{choices}##SBATCH --cpus-per-task=8
results={results}
lines() {{ cat "$results/journal" 2>/dev/null | wc -l; }}
# The first line is the journal's head; each finished launch adds one.
begun_with=$(lines)
[ "$begun_with" -gt 0 ] || begun_with=1
if [ -s "$results/journal" ]; then
  {resume} "$results" & # --other-hosts: each job may get other nodes; rows list their hosts
else
  {run} -o "$results" &
fi
sweep=$!
queue_again() {{
  kill -TERM "$sweep"
  wait "$sweep"
  status=$?
  [ $status = 143 ] || exit $status
  if [ "$(lines)" -le "$begun_with" ]; then
    echo "No launch finished in this job, so the next one would get no further: submit again with a longer --time." >&2
    exit 3
  fi
  scontrol requeue "$SLURM_JOB_ID"
  exit
}}
trap queue_again USR1
wait "$sweep"
)script";

/// A sweep on GPUs needs whole nodes: otherwise it would measure other jobs' traffic as well.
std::string gpu_lines(std::string_view mark, int gpus_per_node) {
  return fmt::format("{0} --exclusive\n{0} --gpus-per-node={1}\n", mark, gpus_per_node);
}

/// The batch script runs on the first node, and nothing starts ringmark-sweep on the others.
void check_launcher(const std::string& launcher) {
  constexpr std::array usable{"", "slurm", "srun", "mpich", "openmpi", "local"};
  if (std::find(usable.begin(), usable.end(), launcher) != usable.end()) return;
  throw BadUsage(Problem{.flag = "--launcher",
                         .value = launcher,
                         .text = "does not start ranks on the nodes of a batch job",
                         .remedy = "give slurm, srun, mpich or openmpi"});
}

}  // namespace

std::string sbatch_script(const CheckedSweep& checked, const std::string& sweep_file, const Overrides& overrides,
                          const SbatchOptions& options) {
  check_launcher(overrides.launcher);
  constexpr std::chrono::seconds usual(120), early(60), to_measure(60);
  const auto to_stop = std::max(usual, time_to_stop(checked.sweep));
  require_time_limit(options.time_limit, to_stop + early + to_measure,
                     fmt::format("the script stops the sweep {} s before the limit, Slurm may send the signal 60 s "
                                 "earlier, and a launch needs a minute",
                                 to_stop.count()));
  const auto need = need_of(checked);
  const int gpus = options.gpus_per_node.value_or(need.gpus_per_node);
  return fmt::format(
      fmt::runtime(script), fmt::arg("question", as_comment(checked.sweep.question)), fmt::arg("nodes", need.hosts),
      fmt::arg("ranks_per_node", need.ranks_per_node), fmt::arg("time_limit", options.time_limit),
      fmt::arg("seconds_to_stop", to_stop.count()), fmt::arg("needs", gpus > 0 ? gpu_lines("#SBATCH", gpus) : ""),
      fmt::arg("choices", gpus > 0 ? "" : gpu_lines("##SBATCH", need.ranks_per_node)),
      fmt::arg("results", shell_word(std::filesystem::absolute(options.results).string())),
      fmt::arg("resume", shell_words({path_of("ringmark-sweep"), "resume", "--other-hosts"})),
      fmt::arg("run", shell_words(run_words(path_of("ringmark-sweep"), std::filesystem::absolute(sweep_file).string(),
                                            overrides, "slurm"))));
}

}  // namespace ringmark::sweep
