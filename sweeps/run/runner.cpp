#include "sweeps/run/runner.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/system/files.hpp"
#include "base/text/shell_text.hpp"
#include "results/files/provenance.hpp"
#include "results/files/rank_hosts.hpp"
#include "results/schema/columns.hpp"
#include "sweeps/launch/environment_file.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/launch/program_launch.hpp"
#include "sweeps/tune/objective.hpp"

namespace ringmark::sweep {
namespace {

/// The mark of all processes of a sweep. A copy of its folder has the same run_id, but is another folder.
std::string mark_of(const Folder& folder) {
  struct stat status {};
  check_sys(::stat(folder.path().c_str(), &status), "look at {}", folder.path());
  return fmt::format("{}/{:x}-{:x}/", folder.journal().head->run_id, status.st_dev, status.st_ino);
}

}  // namespace

Runner::Runner(const Sweep& sweep, const Plan& plan, Folder& folder, const SignalQueue& signals, Nodes* nodes)
    : sweep_(sweep), plan_(plan), folder_(folder), signals_(signals), nodes_(nodes), mark_(mark_of(folder)) {
  columns_ = own_header(facts_of(sweep.programs.at(0)).schema);
  for (const auto& variable : sweep.variables) {
    // A variable that the program reports already has a column.
    const bool is_there = std::find(columns_.begin(), columns_.end(), variable.name) != columns_.end();
    if (variable.target != Target::program && !is_contract_column(variable.name) && !is_there)
      columns_.push_back(variable.name);
  }
  const bool nodes_vary = std::any_of(sweep.variables.begin(), sweep.variables.end(), [](const Variable& variable) {
    return variable.target == Target::ranks || variable.target == Target::ranks_per_node;
  });
  for (std::size_t point = 1; nodes_vary && point < plan.size(); ++point) {
    if (nodes_of(resolve(sweep, plan.setting(point))) > nodes_of(resolve(sweep, plan.setting(widest_point_))))
      widest_point_ = point;
  }
  kill_marked(mark_);
  for (const auto& done : folder.journal().done) count_failure(done);
}

nlohmann::json Runner::visit_nodes(const std::string& cause) const {
  if (nodes_ != nullptr) {
    if (const auto loss = nodes_->loss())
      throw CannotGoOn(fmt::format("{}{}: restart the nodes, with ringmark-sweep resume {} on each",
                                   cause.empty() ? "" : cause + "; ", *loss, folder_.path()));
    return nodes_->facts();
  }
  const auto nodes = folder_.file("logs/nodes");
  std::filesystem::remove_all(nodes);
  std::filesystem::create_directories(nodes);
  const auto absolute = std::filesystem::absolute(nodes).string();
  const EnvironmentFile environment(absolute + ".environment", sweep_.environment);
  const auto command = node_command(sweep_, resolve(sweep_, plan_.setting(widest_point_)),
                                    {path_of("ringmark-sweep"), "describe-node", absolute}, environment.path());
  constexpr auto time_for_it = std::chrono::seconds(60);
  const CommandRun run{time_for_it, sweep_.grace, folder_.file("logs/nodes.log"), mark_of_launch(0)};
  const auto ending = run_command(command, run, signals_);
  if (ending.interrupted_by) throw Interrupted(*ending.interrupted_by);
  auto found = nlohmann::json::object();
  for (const auto& entry : std::filesystem::directory_iterator(nodes)) {
    auto node = nlohmann::json::parse(read_if_readable(entry.path()), nullptr, false);
    if (node.is_object()) found[entry.path().stem()] = std::move(node);
  }
  if (ending.raw_status != 0 || ending.past_deadline || found.empty()) {
    throw CannotGoOn(
        fmt::format("{}processes cannot be started on all nodes: {}{}\n  {}\n  {}",
                    cause.empty() ? "" : cause + "; since then ", cause.empty() ? tail_of(run.log) : "see " + run.log,
                    ending.past_deadline ? " (it did not end within a minute)" : "", shell_words(command.words),
                    found.empty() && ending.raw_status == 0
                        ? "the results folder must be the same on this machine and on all nodes"
                        : "fix that and continue with: ringmark-sweep resume " + folder_.path()));
  }
  return found;
}

std::string Runner::mark_of_launch(std::size_t number) const { return fmt::format("{}{}/", mark_, number); }

std::optional<std::string> Runner::given_up(std::size_t point) const {
  const auto found = failures_.find(point);
  if (found == failures_.end()) return std::nullopt;
  for (const auto& [failure, count] : found->second) {
    if (count >= most_failures) return failure;
  }
  return std::nullopt;
}

void Runner::count_failure(const Done& done) {
  if (!done.failure.empty()) ++failures_[done.point][done.failure];
}

void Runner::check_that_it_can_go_on(std::size_t number, const std::optional<LostProcess>& lost) const {
  const auto probe = folder_.file("logs/probe");
  try {
    constexpr off_t room = 4 << 20;  // more than a launch's table, samples and output
    const FileDescriptor file(
        check_sys(::open(probe.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), "write {}", probe));
    if (const int error = ::posix_fallocate(file.get(), 0, room)) throw_errno("write " + probe, error);
    std::filesystem::remove(probe);
  } catch (const std::system_error& error) {
    std::error_code ignored;
    std::filesystem::remove(probe, ignored);
    throw CannotGoOn(fmt::format(
        "launch {} failed, and {} cannot be written ({}): make room, then continue with: ringmark-sweep resume {}",
        number, folder_.path(), error.code().message(), folder_.path()));
  }
  static_cast<void>(visit_nodes(lost ? fmt::format("launch {} {}", number, in_words(*lost)) : ""));
}

void Runner::heed_signals() const {
  while (const auto signal = signals_.next()) {
    if (signal->number != SIGCHLD) throw Interrupted(signal->number);
  }
}

Ending Runner::start(const Resolved& resolved, const std::vector<std::string>& program, const CommandRun& run) {
  if (nodes_ != nullptr) return nodes_->run(sweep_, resolved, program, run, signals_);
  constexpr int patience_in_graces = 4;
  return run_program(sweep_, resolved, program, run, patience_in_graces * sweep_.grace, signals_);
}

Record Runner::planned(const Resolved& resolved, std::size_t launch, int repetition) const {
  auto row = planned_row(resolved);
  row.run_id = run_id_of_launch(*folder_.journal().head, launch);
  row.launch = launch;
  row.time_utc = now_utc();
  row.repetition = repetition;
  // Rows of failed launches also report where they ran.
  row.settings.version = version();
  if (const auto hosts = hosts_of_ranks(sweep_, resolved); !hosts.empty()) row.settings.hosts = rank_hosts_text(hosts);
  return row;
}

LaunchRows Runner::run(const LaunchRequest& request, const Resolved& resolved, const Record& planned, Done& done) {
  const auto number = done.launch;
  std::filesystem::create_directories(folder_.file("logs"));
  folder_.remove_launch_tables(number);
  const auto csv = std::filesystem::absolute(folder_.launch_file(number, "csv")).string();
  std::filesystem::create_directories(folder_.file("algorithms"));
  const auto choices = folder_.file(fmt::format("algorithms/{}.jsonl", request.point));
  auto program = words_of_launch(resolved, csv, std::filesystem::absolute(choices).string());
  program.push_back("--run-id=" + planned.run_id);
  program.push_back("--repetition=" + std::to_string(request.repetition));
  if (facts_of(resolved.program).writes_samples)
    program.push_back("--samples=" + std::filesystem::absolute(folder_.launch_file(number, "samples")).string());
  CommandRun run{request.deadline, sweep_.grace, folder_.launch_file(number, "log"), mark_of_launch(number)};
  run.table = csv;
  if (request.most) run.most = *request.most;
  const auto ending = start(resolved, program, run);
  if (ending.interrupted_by) throw Interrupted(*ending.interrupted_by);
  auto launch = read_launch(csv, ending, run, planned);
  if (!launch.failure.empty()) check_that_it_can_go_on(number, launch.lost_rank);
  done.seconds = ending.time.count();
  return launch;
}

void Runner::take_score(const LaunchRows& launch, Done& done) const {
  if (folder_.journal().head->command != "tune") return;
  done.score = score(sweep_.tuning.objective, launch.rows);
  if (!done.score && launch.status == Status::ok)
    throw CannotGoOn(
        fmt::format("launch {} succeeded but has no value for the objective ({}): name a size "
                    "and a column that its table has ({})",
                    done.launch, describe(sweep_.tuning.objective), folder_.launch_file(done.launch, "csv")));
}

Done Runner::launch(const LaunchRequest& request, Progress& progress) {
  heed_signals();
  const auto setting = plan_.setting(request.point);
  const auto resolved = resolve(sweep_, setting);
  Done done{.launch = folder_.journal().done.size() + 1,
            .point = request.point,
            .repetition = request.repetition,
            .is_verification = request.is_verification};
  progress.started(describe(sweep_.variables, setting), request.repetition);
  auto row = planned(resolved, done.launch, request.repetition);
  LaunchRows launch;
  if (const auto failure = given_up(request.point)) {
    row.status = launch.status = Status::failed;
    row.detail = fmt::format("not tried again: it failed {} times in the same way ({})", most_failures, *failure);
    launch.rows = {row};
  } else {
    launch = run(request, resolved, row, done);
  }
  for (auto& each : launch.rows) {
    each.launch = done.launch;
    for (std::size_t v = 0; v < setting.size(); ++v) each.extra[sweep_.variables[v].name] = to_text(setting[v]);
  }
  done.status = launch.status;
  done.failure = launch.failure;
  take_score(launch, done);
  folder_.add(launch.rows, columns_, done);
  count_failure(done);
  progress.finished(done, launch.rows);
  return done;
}

}  // namespace ringmark::sweep
