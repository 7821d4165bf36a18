#include "sweeps/launch/slurm_pmi.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "base/system/files.hpp"
#include "base/transport.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/launch/process_group.hpp"
#include "sweeps/run/progress.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto time_for_trial = std::chrono::seconds(60);

bool measures_mpi(const Sweep& sweep, const Plan& plan) {
  for (std::size_t point = 0; point < plan.size(); ++point) {
    if (facts_of(planned_row(resolve(sweep, plan.setting(point))).transport.value()).needs_mpi) return true;
  }
  return false;
}

/// Runs a command with its output in the log; false if it failed.
bool succeeds(const std::vector<std::string>& words, const Sweep& sweep, const std::string& log, const Folder& folder,
              const SignalQueue& signals) {
  const CommandRun run{time_for_trial, sweep.grace, log, folder.journal().head->run_id + "/pmi/"};
  const auto ending = run_command({words, sweep.environment}, run, signals);
  if (ending.interrupted_by) throw Interrupted(*ending.interrupted_by);
  return ending.raw_status == 0 && !ending.past_deadline;
}

}  // namespace

std::vector<std::string> pmi_candidates(std::string_view list) {
  std::vector<std::string> words;
  std::istringstream text{std::string(list)};
  for (std::string word; text >> word;) words.push_back(word);
  std::vector<std::string> candidates;
  for (const auto* wanted : {"pmix", "pmi2"}) {
    if (std::find(words.begin(), words.end(), wanted) != words.end()) candidates.emplace_back(wanted);
  }
  return candidates;
}

std::string find_pmi(const Sweep& sweep, const Plan& plan, const Folder& folder, const SignalQueue& signals) {
  if (!measures_mpi(sweep, plan)) return "none";
  const auto srun = sweep.launcher.command.empty() ? "srun" : sweep.launcher.command.front();
  const auto list = folder.file("logs/pmi-list.log");
  if (!succeeds({srun, "--mpi=list"}, sweep, list, folder, signals)) return "none";
  for (const auto& candidate : pmi_candidates(read_if_readable(list))) {
    std::vector<std::string> words{srun, "--mpi=" + candidate, "-n", "2"};
    words.insert(words.end(), sweep.launcher.arguments.begin(), sweep.launcher.arguments.end());
    for (const auto& word : {path_of("ringmark-all-reduce"), std::string("--transport=mpi"), std::string("--sizes=8"),
                             std::string("--iters=1"), std::string("--warmup=0")})
      words.push_back(word);
    if (succeeds(words, sweep, folder.file(fmt::format("logs/pmi-{}.log", candidate)), folder, signals))
      return candidate;
  }
  tell(
      "ringmark-sweep: MPI works with none of srun's PMI interfaces (see logs/pmi-*.log): settings over MPI will be "
      "unsupported\n");
  return "none";
}

}  // namespace ringmark::sweep
