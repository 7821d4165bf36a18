#include "sweeps/run/sweep_run.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "results/files/provenance.hpp"
#include "results/files/result_file.hpp"
#include "sweeps/answer/answer.hpp"
#include "sweeps/launch/slurm_pmi.hpp"
#include "sweeps/run/runner.hpp"
#include "sweeps/tune/ready_files.hpp"
#include "sweeps/tune/tuner.hpp"

namespace ringmark::sweep {
namespace {

int status_of(const std::vector<Done>& launches) {
  int status = exit_ok;
  for (const auto& done : launches) {
    if (has_failed(done)) return exit_failed;
    if (is_not_as_asked(done.status)) status = exit_wrong;
  }
  const auto is_unsupported = [](const Done& done) { return done.status == Status::unsupported; };
  if (!launches.empty() && std::all_of(launches.begin(), launches.end(), is_unsupported)) return exit_unusable;
  return status;
}

/// This run's entry in the manifest, with its start and its end.
class ManifestEntry {
 public:
  ManifestEntry(const CheckedSweep& checked, const Launcher& launcher, Folder& folder, const nlohmann::json& nodes)
      : folder_(folder) {
    const auto& sweep = checked.sweep;
    manifest_ = folder.read_manifest();
    for (const auto& note : folder.notes()) tell(fmt::format("ringmark-sweep: {}\n", note));
    const auto& head = *folder.journal().head;
    if (!manifest_.is_object()) manifest_ = {{"sittings", nlohmann::json::array()}};
    manifest_["schema"] = "sweep-manifest/1";
    manifest_["run_id"] = head.run_id;
    manifest_["command"] = head.command;
    manifest_["question"] = sweep.question;
    manifest_["sweep"] = {{"file", head.sweep_path}, {"sha256", head.sweep_sha256}, {"copy", "sweep.yaml"}};
    manifest_["overrides"] = head.overrides;
    manifest_["seed"] = sweep.seed;
    const auto setting = checked.plan.setting(checked.plan.default_point());
    manifest_["default"] = nlohmann::json::object();
    for (std::size_t v = 0; v < setting.size(); ++v)
      manifest_["default"][sweep.variables[v].name] = setting[v] ? nlohmann::json(*setting[v]) : nlohmann::json();
    manifest_["rows"] = "run_id of a row is the run's, a dot and the launch; its output is in logs/<launch>.log";
    const auto& origin = checked.hosts_origin;
    manifest_["sittings"].push_back(
        {{"started", now_utc()},
         {"version", version()},
         {"hosts", {{"names", sweep.hosts}, {"source", origin.source}, {"from", origin.from}}},
         {"nodes", nodes}});
    if (launcher.kind == LauncherKind::slurm) manifest_["sittings"].back()["pmi"] = launcher.pmi;
    folder_.write_manifest(manifest_);
  }

  void end(std::string_view how) {
    manifest_["sittings"].back()["ended"] = now_utc();
    manifest_["sittings"].back()["how"] = how;
    manifest_["launches_done"] = folder_.journal().done.size();
    folder_.write_manifest(manifest_);
  }

 private:
  Folder& folder_;
  nlohmann::json manifest_;
};

void run_all(const CheckedSweep& checked, Folder& folder, Runner& runner, const LaunchLimit& limit) {
  const auto launches = checked.plan.launches();
  const auto& done = folder.journal().done;
  const auto already = done.size();
  for (std::size_t i = 0; i < already; ++i) {
    if (i >= launches.size() || done[i].launch != i + 1 || done[i].point != launches[i].point ||
        done[i].repetition != launches[i].repetition)
      throw BadUsage(
          fmt::format("{}: launch {} in the journal differs from the plan: another version of ringmark-sweep began "
                      "this sweep; continue with that version",
                      folder.path(), done[i].launch));
  }
  Progress progress(launches.size(), done);
  for (std::size_t i = already; i < launches.size(); ++i) {
    LaunchRequest request{launches[i].point, launches[i].repetition, checked.sweep.deadline};
    if (limit) request.most = limit();
    runner.launch(request, progress);
  }
}

Outcome tune_all(const CheckedSweep& checked, Folder& folder, Runner& runner, const LaunchLimit& limit) {
  const auto& sweep = checked.sweep;
  const Space space(sweep, checked.plan);
  const auto& tuning = sweep.tuning;
  const auto launched = static_cast<std::size_t>(tuning.budget_launches + 2 * tuning.verify_launches);
  // With a time budget, the number of launches is unknown.
  Progress progress(tuning.budget_time ? std::nullopt : std::optional(launched), folder.journal().done);
  std::map<std::size_t, int> repetitions;
  std::optional<double> default_seconds;
  double seconds = 0;
  const auto count = [&](const Done& done) {
    ++repetitions[done.point];
    seconds += done.seconds;
    if (done.score && done.point == checked.plan.default_point() && !default_seconds) default_seconds = done.seconds;
    return Trial{done.point, done.score, is_given_up(done)};
  };
  Past past;
  for (const auto& done : folder.journal().done)
    (done.is_verification ? past.verification : past.search).push_back(count(done));
  const auto evaluate = [&](Phase phase, std::size_t point) {
    LaunchRequest request{point, repetitions[point], sweep.deadline, phase == Phase::verification};
    // Do not wait for slow settings: four times the default's time, which includes its start, is enough.
    if (default_seconds) request.most = std::chrono::milliseconds(static_cast<long>(4000 * *default_seconds + 2000));
    if (const auto most = limit ? limit() : std::nullopt) request.most = std::min(*most, request.most.value_or(*most));
    return count(runner.launch(request, progress));
  };
  auto outcome = tune(tuning, space, sweep.seed, past, evaluate, [&] { return seconds; });
  outcome.caveats = caveats_of(rows_of(folder), folder.journal().done,
                               {outcome.winner.value_or(checked.plan.default_point()), checked.plan.default_point()});
  return outcome;
}

void show_outcome(const CheckedSweep& checked, const Folder& folder, const Outcome& outcome) {
  const auto& sweep = checked.sweep;
  const auto text = verdict(outcome, sweep, checked.plan);
  folder.replace("tried.csv", tried_table(outcome, sweep, checked.plan));
  const auto setting = checked.plan.setting(is_better(outcome) ? *outcome.winner : checked.plan.default_point());
  const auto ready = ready_settings(sweep, setting, text);
  folder.replace("best.env", best_env(ready));
  if (const auto conf = nccl_conf(ready); !conf.empty()) folder.replace("nccl.conf", conf);
  if (const auto csv = nccl_tuner_csv(sweep, setting); !csv.empty()) folder.replace("nccl_tuner.csv", csv);
  say("\n{0}\n{1}tried: {2}/tried.csv   ready to use: {2}/best.env\n", sweep.question, text, folder.path());
}

void show_answer(const CheckedSweep& checked, const Folder& folder) {
  say("{}", in_words(answer(checked.sweep, checked.plan, rows_of(folder), folder.journal().done)));
}

}  // namespace

bool is_complete(const CheckedSweep& checked, const Folder& folder) {
  return folder.journal().head->command == "run" &&
         folder.journal().done.size() == checked.plan.size() * static_cast<std::size_t>(checked.sweep.repetitions);
}

std::vector<Record> rows_of(const Folder& folder) {
  if (folder.journal().done.empty()) return {};  // the first launch makes the file
  return read_records(content_of(folder.file("results.csv")));
}

std::optional<Outcome> run_launches(const CheckedSweep& checked, Folder& folder, Nodes* nodes,
                                    const LaunchLimit& limit) {
  if (is_complete(checked, folder)) return std::nullopt;
  const SignalQueue signals;
  auto sweep = checked.sweep;
  if (sweep.launcher.kind == LauncherKind::slurm) sweep.launcher.pmi = find_pmi(sweep, checked.plan, folder, signals);
  Runner runner(sweep, checked.plan, folder, signals, nodes);
  std::optional<ManifestEntry> entry;
  std::optional<Outcome> outcome;
  try {
    entry.emplace(checked, sweep.launcher, folder, runner.visit_nodes());
    if (folder.journal().head->command == "tune") {
      outcome = tune_all(checked, folder, runner, limit);
    } else {
      run_all(checked, folder, runner, limit);
    }
  } catch (const Interrupted&) {
    if (entry) entry->end("interrupted");
    throw;
  } catch (const std::exception& error) {
    if (entry) entry->end(fmt::format("stopped: {}", error.what()));
    throw;
  }
  entry->end("complete");
  return outcome;
}

int run_sweep(const CheckedSweep& checked, Folder& folder, Nodes* nodes) {
  if (is_complete(checked, folder)) {
    show_answer(checked, folder);
    return status_of(folder.journal().done);
  }
  if (const auto outcome = run_launches(checked, folder, nodes)) {
    show_outcome(checked, folder, *outcome);
  } else {
    show_answer(checked, folder);
  }
  const auto failed = std::count_if(folder.journal().done.begin(), folder.journal().done.end(), has_failed);
  say("rows: {}   settings of the run: {}{}\n", folder.file("results.csv"), folder.file("manifest.json"),
      failed > 0 ? fmt::format("   failed launches: {} (column detail, and logs/)", failed) : "");
  say("to compare every setting with the default: ringmark-analyze compare {} --by configuration\n", folder.path());
  return status_of(folder.journal().done);
}

}  // namespace ringmark::sweep
