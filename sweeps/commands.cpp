#include "sweeps/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "results/csv.hpp"
#include "results/provenance.hpp"
#include "sweeps/answer.hpp"
#include "sweeps/argument_check.hpp"
#include "sweeps/command.hpp"
#include "sweeps/runner.hpp"
#include "sweeps/sweep_file.hpp"
#include "sweeps/tune/ready_files.hpp"
#include "sweeps/tune/surface.hpp"
#include "sweeps/tune/tuner.hpp"
#include "transports/errors.hpp"
#include "transports/exit_status.hpp"
#include "transports/system/host.hpp"
#include "transports/units.hpp"

namespace ringmark::sweep {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  if (!std::ifstream(path) || fs::is_directory(path)) throw BadUsage(fmt::format("{} cannot be read", path));
  return read_file(path);
}

std::vector<Record> records_in(const std::string& path) {
  const auto table = parse_csv(content_of(path));
  std::vector<Record> records;
  for (std::size_t i = 1; i < table.size(); ++i) records.push_back(from_csv(table[0], table[i], i + 1));
  return records;
}

int status_of(const std::vector<Done>& launches) {
  int status = exit_ok;
  for (const auto& done : launches) {
    if (done.status == "failed" || done.status == "timeout") return exit_failed;
    if (done.status == "wrong" || done.status == "bypassed") status = exit_wrong;
  }
  return status;
}

/// Throws BadUsage if the sweep can be run but not tuned.
void check_tuning(const CheckedSweep& checked, const std::string& path) {
  const auto& [sweep, plan, text] = checked;
  if (plan.size() < 2) throw BadUsage(fmt::format("{}: there is one setting only, so nothing to tune", path));
  const auto sizes = extent_of(resolve(sweep, plan.setting(plan.default_point()))).sizes;
  const auto& objective = sweep.tuning.objective;
  if (objective.weights.empty() && objective.column == Objective().column && sizes.size() > 1) {
    throw BadUsage(fmt::format("{}: tune.objective is missing: {} sizes are measured; name one of them, or weigh them",
                               path, sizes.size()));
  }
  for (const auto& [size, weight] : objective.weights) {
    if (size < sizes.front() || size > sizes.back())
      throw BadUsage(fmt::format("{}:{}: tune.objective: {} lies outside of the measured sizes, {} to {}", path,
                                 sweep.tuning.line, format_size(size), format_size(sizes.front()),
                                 format_size(sizes.back())));
  }
}

/// From here to the end of the program the folder is worked on; the manifest has a line for every such sitting.
class Sitting {
 public:
  Sitting(const Sweep& sweep, Folder& folder, const nlohmann::json& nodes) : folder_(folder) {
    manifest_ = folder.read_manifest();
    const auto& head = *folder.journal().head;
    if (!manifest_.is_object()) manifest_ = {{"sittings", nlohmann::json::array()}};
    manifest_["schema"] = "sweep-manifest/1";
    manifest_["run_id"] = head.run_id;
    manifest_["command"] = head.command;
    manifest_["question"] = sweep.question;
    manifest_["sweep"] = {{"file", head.sweep_path}, {"sha256", head.sweep_sha256}, {"copy", "sweep.yaml"}};
    manifest_["seed"] = sweep.seed;
    manifest_["rows"] = "run_id of a row is the run's, a dot and the launch; its output is in logs/<launch>.log";
    manifest_["sittings"].push_back({{"started", now_utc()}, {"version", version()}, {"nodes", nodes}});
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

void run_all(const CheckedSweep& checked, Folder& folder, Runner& runner) {
  const auto launches = checked.plan.launches();
  const auto& done = folder.journal().done;
  const auto already = done.size();
  for (std::size_t i = 0; i < already; ++i) {
    if (i >= launches.size() || done[i].launch != i + 1 || done[i].point != launches[i].point ||
        done[i].repetition != launches[i].repetition)
      throw BadUsage(
          fmt::format("{}: launch {} in the journal is not that of the plan; another version of the program "
                      "has begun this sweep: go on with that one",
                      folder.path(), done[i].launch));
  }
  Progress progress(launches.size(), done);
  for (std::size_t i = already; i < launches.size(); ++i)
    runner.launch({launches[i].point, launches[i].repetition, checked.sweep.deadline}, progress);
}

void tune_all(const CheckedSweep& checked, Folder& folder, Runner& runner) {
  const auto& sweep = checked.sweep;
  const Space space(sweep, checked.plan);
  const auto& tuning = sweep.tuning;
  const auto launched = static_cast<std::size_t>(tuning.budget_launches + 2 * tuning.verify_launches);
  Progress progress(launched, folder.journal().done);
  std::map<std::size_t, int> repetitions;
  std::optional<double> default_seconds;
  double seconds = 0;
  const auto count = [&](const Done& done) {
    ++repetitions[done.point];
    seconds += done.seconds;
    if (done.score && done.point == checked.plan.default_point() && !default_seconds) default_seconds = done.seconds;
    return Trial{done.point, done.score};
  };
  Past past;
  for (const auto& done : folder.journal().done)
    (done.is_verification ? past.verification : past.search).push_back(count(done));
  const auto evaluate = [&](Phase phase, std::size_t point) {
    auto deadline = sweep.deadline;
    // A loser is not waited for: four times as long as the default is enough.
    if (default_seconds)
      deadline = std::min(deadline, std::chrono::milliseconds(static_cast<long>(4000 * *default_seconds + 2000)));
    return count(runner.launch({point, repetitions[point], deadline, phase == Phase::verification}, progress));
  };
  const auto outcome = tune(tuning, space, sweep.seed, past, evaluate, [&] { return seconds; });
  const auto text = verdict(outcome, sweep, checked.plan);
  folder.replace("tried.csv", tried_table(outcome, sweep, checked.plan));
  const auto setting = checked.plan.setting(is_better(outcome) ? *outcome.winner : checked.plan.default_point());
  folder.replace("best.env", shell_environment(sweep, setting, text));
  if (const auto conf = nccl_conf(sweep, setting, text); !conf.empty()) folder.replace("nccl.conf", conf);
  if (const auto csv = nccl_tuner_csv(sweep, setting); !csv.empty()) folder.replace("nccl_tuner.csv", csv);
  fmt::print("\n{}\n{}tried: {}/tried.csv   ready to use: {}/best.env\n", sweep.question, text, folder.path(),
             folder.path());
}

void show_answer(const CheckedSweep& checked, const Folder& folder) {
  fmt::print("{}", answer(checked.sweep, checked.plan, records_in(folder.file("results.csv")), folder.journal().done));
}

bool is_complete(const CheckedSweep& checked, const Folder& folder) {
  return folder.journal().head->command == "run" &&
         folder.journal().done.size() == checked.plan.size() * static_cast<std::size_t>(checked.sweep.repetitions);
}

int work_on(const CheckedSweep& checked, Folder& folder) {
  if (is_complete(checked, folder)) {
    show_answer(checked, folder);
    return status_of(folder.journal().done);
  }
  const SignalQueue signals;
  Runner runner(checked.sweep, checked.plan, folder, signals);
  std::optional<Sitting> sitting;
  try {
    sitting.emplace(checked.sweep, folder, runner.visit_nodes());
    if (folder.journal().head->command == "tune") {
      tune_all(checked, folder, runner);
    } else {
      run_all(checked, folder, runner);
      show_answer(checked, folder);
    }
  } catch (const Interrupted&) {
    if (sitting) sitting->end("interrupted");
    throw;
  } catch (const CannotGoOn& error) {
    if (sitting) sitting->end(fmt::format("stopped: {}", error.what()));
    throw;
  }
  sitting->end("complete");
  const auto failed = std::count_if(folder.journal().done.begin(), folder.journal().done.end(), [](const Done& done) {
    return done.status == "failed" || done.status == "timeout";
  });
  fmt::print("rows: {}   settings of the run: {}{}\n", folder.file("results.csv"), folder.file("manifest.json"),
             failed > 0 ? fmt::format("   failed launches: {} (column detail, and logs/)", failed) : "");
  return status_of(folder.journal().done);
}

}  // namespace

CheckedSweep check_sweep(const std::string& text, const std::string& name) {
  auto file = read_sweep(text, name);
  const auto refuse = [](const std::vector<std::string>& problems) {
    throw BadUsage(fmt::format("{}", fmt::join(problems, "\n")));
  };
  if (!file.problems.empty()) refuse(file.problems);
  try {
    Plan plan(file.sweep);
    if (const auto problems = check_arguments(file.sweep, plan, name); !problems.empty()) refuse(problems);
    return {std::move(file.sweep), std::move(plan), text};
  } catch (const std::invalid_argument& error) {
    throw BadUsage(fmt::format("{}:{}: {}", name, file.sweep.lines["variables"], error.what()));
  }
}

CheckedSweep read_and_check(const std::string& path) { return check_sweep(content_of(path), path); }

int begin(const std::string& path, const std::string& folder_path, const std::string& command) {
  const auto checked = read_and_check(path);
  if (command == "tune") check_tuning(checked, path);
  auto folder = Folder::create(folder_path, {make_run_id(), command, fs::absolute(path).string(), ""}, checked.text);
  return work_on(checked, folder);
}

int resume(const std::string& folder_path) {
  auto folder = Folder::open(folder_path);
  const auto checked = check_sweep(folder.sweep_text(), folder.journal().head->sweep_path);
  return work_on(checked, folder);
}

int dry_run(const std::string& path) {
  const auto checked = read_and_check(path);
  const auto& sweep = checked.sweep;
  double seconds = 0;
  bool is_bounded = true;
  std::map<std::vector<std::string>, Extent> extents;  // many settings differ in the environment alone
  const auto launches = checked.plan.launches();
  for (const auto& launch : launches) {
    const auto resolved = resolve(sweep, checked.plan.setting(launch.point));
    std::vector<std::string> program{program_path(resolved.program)};
    for (auto& word : program_arguments(resolved)) program.push_back(std::move(word));
    auto known = extents.find(program);
    if (known == extents.end()) known = extents.emplace(program, extent_of(resolved)).first;
    const auto& extent = known->second;
    const double deadline = std::chrono::duration<double>(sweep.deadline).count();
    is_bounded &= extent.seconds.has_value();
    seconds += extent.seconds ? std::min(*extent.seconds + 1, deadline) : deadline;
    fmt::print("{}\n", shell_line(launch_command(sweep, resolved, program)));
  }
  fmt::print("# {}\n# {} launches of {} settings; about {} at most{}\n", sweep.question, launches.size(),
             checked.plan.size(), format_seconds(seconds),
             is_bounded ? "" : " (with fixed iterations only the deadline says how long a launch may take)");
  return exit_ok;
}

int list(const std::string& folder) {
  auto where = folder;
  if (where.empty()) {
    const auto bin = fs::read_symlink("/proc/self/exe").parent_path();
    where = bin / "../share/ringmark/sweeps";
    if (!fs::exists(where)) where = bin / "../../sweeps";
    where = fs::weakly_canonical(where);
  }
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(where, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (files.empty()) throw BadUsage(fmt::format("{} has no sweeps (*.yaml)", where));
  std::sort(files.begin(), files.end());
  for (const auto& file : files)
    fmt::print("{}\n    {}\n", file.string(), read_sweep(content_of(file), file).sweep.question);
  return exit_ok;
}

int tune_on_surface(const std::string& path, const SurfaceOptions& options) {
  auto checked = read_and_check(path);
  check_tuning(checked, path);
  auto& tuning = checked.sweep.tuning;
  tuning.search = options.search.value_or(tuning.search);
  tuning.budget_launches = options.budget_launches.value_or(tuning.budget_launches);
  const auto seed = options.seed.value_or(checked.sweep.seed);
  const Surface surface(parse_csv(content_of(options.csv)), checked.sweep, checked.plan);
  const Space space(checked.sweep, checked.plan);
  std::mt19937_64 random(seed);
  const auto outcome = tune(
      tuning, space, seed, {}, [&](Phase, std::size_t point) { return surface.draw(point, random); },
      [] { return 0.0; });
  fmt::print("{}\n{}", checked.sweep.question, verdict(outcome, checked.sweep, checked.plan));
  const auto best = surface.best();
  if (outcome.winner && surface.mean(*outcome.winner)) {
    fmt::print(
        "{} of {} settings launched; the best of the surface is {}: {:.6g}, what was found is {:.2f} % above it\n",
        outcome.trials.size(), checked.plan.size(), describe(checked.sweep.variables, checked.plan.setting(best)),
        *surface.mean(best), 100 * (*surface.mean(*outcome.winner) / *surface.mean(best) - 1));
  }
  return exit_ok;
}

}  // namespace ringmark::sweep
