#include "accept/cluster.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/input/host_list.hpp"
#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/files.hpp"
#include "base/write_file.hpp"
#include "results/files/samples_file.hpp"
#include "results/statistics/statistics.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/environment_file.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/launch/process_group.hpp"
#include "sweeps/launch/program_launch.hpp"

namespace ringmark::accept {
namespace {

namespace fs = std::filesystem;

constexpr auto visit_deadline = std::chrono::seconds(60);
/// For a subset of the hosts, after a launch on all of them failed.
constexpr auto again_deadline = std::chrono::seconds(20);
constexpr auto launch_deadline = std::chrono::minutes(10);
/// Until the table starts: a launcher does not notice that it waits for a dead host.
constexpr auto start_deadline = std::chrono::seconds(120);
constexpr auto grace = std::chrono::seconds(5);

void heed(const sweep::Ending& ending) {
  if (ending.interrupted_by) throw sweep::Interrupted(*ending.interrupted_by);
}

/// Flags that the programs refuse are not the cluster's fault.
void heed_refusal(const sweep::Ending& ending, const std::string& log) {
  if (ending.past_deadline || !WIFEXITED(ending.raw_status) || WEXITSTATUS(ending.raw_status) != exit_usage) return;
  throw BadUsage(Problem{.flag = "arguments",
                         .text = fmt::format("a program refused its flags: {}", sweep::tail_of(log)),
                         .remedy = fmt::format("see {}", log)});
}

}  // namespace

void judge_scan(sweep::LaunchRows& launch, std::size_t link_rows) {
  const auto rows = static_cast<std::size_t>(
      std::count_if(launch.rows.begin(), launch.rows.end(), [](const Record& row) { return row.link.has_value(); }));
  const bool has_failed_links = std::any_of(launch.rows.begin(), launch.rows.end(),
                                            [](const Record& row) { return row.link && is_failure(row.status); });
  if (rows < link_rows && launch.failure.empty()) {
    launch.failure = rows == 0 && !launch.rows.empty()
                         ? launch.rows.back().detail
                         : fmt::format("{} of {} measurements are missing", link_rows - rows, link_rows);
    const auto words = sweep::words_of_failure(launch.rows);
    launch.account = words.empty() ? launch.failure : launch.failure + ": " + words;
  } else if (rows >= link_rows && has_failed_links) {
    launch.failure.clear();
    launch.account.clear();
  }
}

LaunchedCluster::LaunchedCluster(const Criteria& criteria, std::string folder)
    : criteria_(criteria), folder_(fs::absolute(std::move(folder)).string()) {
  fs::create_directories(folder_);
  sweep::kill_marked(mark(""));
}

std::chrono::milliseconds LaunchedCluster::within_end(std::chrono::milliseconds most, int part) const {
  return end_ ? std::min(most, std::chrono::ceil<std::chrono::milliseconds>(end_->left() / part)) : most;
}

std::string LaunchedCluster::mark(const std::string& name) const { return fmt::format("accept {}/{}", folder_, name); }

/// Starts a process on each host. Returns the launcher's message if it fails.
std::string LaunchedCluster::run_on_each(const std::vector<std::size_t>& hosts, const std::string& to,
                                         const std::vector<std::string>& program, std::chrono::seconds deadline) const {
  auto measurement = together_measurement(criteria_);
  measurement.ranks_per_host = 1;
  const auto sweep = sweep_on(hosts, criteria_, measurement);
  const sweep::EnvironmentFile environment(to + ".environment", sweep.environment);
  const auto command = sweep::node_command(sweep, sweep::resolve(sweep, {}), program, environment.path());
  constexpr int part = 3;  // leaves time to retry without a host that does not answer
  const auto time = within_end(deadline, part);
  const sweep::CommandRun run{time, grace, to + ".log", mark("nodes")};
  const auto ending = sweep::run_command(command, run, signals_);
  heed(ending);
  if (ending.past_deadline)
    return fmt::format("no answer within {:.3g} s", std::chrono::duration<double>(time).count());
  return ending.raw_status == 0 ? "" : sweep::tail_of(run.log);
}

/// Like run_on_each, then again on subsets of the hosts that left no file, since one host that does not answer fails
/// the whole launch. Returns the launcher's message for each host that fails on its own.
std::map<std::size_t, std::string> LaunchedCluster::run_on_all(const std::vector<std::size_t>& hosts,
                                                               const std::string& to,
                                                               const std::vector<std::string>& program,
                                                               std::chrono::seconds deadline) const {
  auto failure = run_on_each(hosts, to, program, deadline);
  if (failure.empty()) return {};
  if (hosts.size() == 1) return {{hosts.front(), std::move(failure)}};
  const auto answered = read_by_host(to);
  std::vector<std::size_t> left;
  std::copy_if(hosts.begin(), hosts.end(), std::back_inserter(left),
               [&answered](std::size_t host) { return !answered.contains(host); });
  constexpr std::size_t parts = 32;
  const auto in_part = (left.size() + parts - 1) / parts;
  std::map<std::size_t, std::string> why_not;
  for (std::size_t from = 0; from < left.size() && !is_over(); from += in_part) {
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(in_part, left.size() - from));
    why_not.merge(run_on_all({first, last}, to, program, again_deadline));
  }
  return why_not;
}

/// Each process has written a file named after its host.
std::map<std::size_t, nlohmann::json> LaunchedCluster::read_by_host(const std::string& from) const {
  std::map<std::string, nlohmann::json> by_name;
  for (const auto& entry : fs::directory_iterator(from)) {
    auto value = nlohmann::json::parse(read_if_readable(entry.path()), nullptr, false);
    if (value.is_object()) by_name[entry.path().stem()] = std::move(value);
  }
  std::map<std::size_t, nlohmann::json> by_host;
  for (std::size_t host = 0; host < criteria_.fabric.hosts.size(); ++host) {
    const auto& name = criteria_.fabric.hosts[host];
    const auto found =
        std::find_if(by_name.begin(), by_name.end(), [&](const auto& each) { return is_same_host(each.first, name); });
    if (found != by_name.end()) by_host[host] = found->second;
  }
  return by_host;
}

Visit LaunchedCluster::visit(VisitDepth depth) const {
  const auto to = folder_ + "/nodes", doctors = folder_ + "/doctor";
  for (const auto& folder : {to, doctors}) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  const std::vector<std::string> describe{sweep::path_of("ringmark-sweep"), "describe-node", to};
  const auto all = all_hosts(criteria_);
  Visit visit;
  visit.why_not = run_on_all(all, to, describe, visit_deadline);
  visit.facts = read_by_host(to);
  visit.is_cut_off = is_over();
  for (const auto& [host, facts] : visit.facts) visit.why_not.erase(host);
  std::vector<std::size_t> there;
  for (const auto host : all) {
    if (visit.facts.contains(host)) {
      there.push_back(host);
    } else if (!visit.why_not.contains(host)) {
      visit.why_not[host] = fmt::format("no process reported this host name, or {} is not a shared folder", folder_);
    }
  }
  if (there.empty() || depth == VisitDepth::facts || visit.is_cut_off) return visit;
  const std::vector<std::string> doctor{sweep::path_of("ringmark-doctor"), "--to", doctors};
  visit.why_not_examined = run_on_all(there, doctors, doctor, visit_deadline);
  visit.is_cut_off = is_over();
  const auto reports = read_by_host(doctors);
  for (const auto host : there) {
    if (const auto report = reports.find(host); report != reports.end()) {
      visit.complaints[host] = complaints_in(report->second);
      visit.why_not_examined.erase(host);
    } else {
      visit.why_not_examined.try_emplace(host, "ringmark-doctor wrote no report");
    }
  }
  return visit;
}

void LaunchedCluster::measure_on(std::vector<std::size_t> hosts) {
  hosts_ = std::move(hosts);
  std::string names;
  for (const auto host : hosts_) names += criteria_.fabric.hosts[host] + "\n";
  const auto file = folder_ + "/hosts";
  if (read_if_readable(file) == names) return;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    for (const auto* measured : {".csv", ".samples", ".jsonl"}) {
      if (entry.path().extension() == measured) fs::remove(entry.path());
    }
  }
  write_file(file, names);
}

sweep::LaunchRows LaunchedCluster::launch(const std::string& name, const Measurement& measurement) const {
  const auto sweep = sweep_on(hosts_, criteria_, measurement);
  const auto resolved = sweep::resolve(sweep, {});
  const auto csv = fmt::format("{}/{}.csv", folder_, name), log = fmt::format("{}/{}.log", folder_, name);
  sweep::CommandRun run{within_end(launch_deadline), grace, log, mark(name)};
  // A table has its final name only once its launch has finished.
  if (fs::exists(csv)) {
    auto rows = sweep::read_launch(csv, {}, run, sweep::planned_row(resolved));
    judge_scan(rows, measurement.link_rows);
    return rows;
  }
  if (is_over()) throw TimeSpent();
  const auto part = csv + ".part";
  run.table = part;
  run.start_deadline = within_end(start_deadline);
  run.most = within_end(launch_deadline);
  auto words = sweep::words_of_launch(resolved, part, folder_ + "/algorithms.jsonl");
  if (measurement.program == sweep::Program::replay) {
    fs::remove(samples_file(name));
    words.push_back("--samples=" + samples_file(name));
  }
  const auto ending = sweep::run_program(sweep, resolved, words, run, 2 * grace, signals_);
  heed(ending);
  heed_refusal(ending, log);
  if (ending.past_deadline && is_over()) throw TimeSpent();
  auto rows = sweep::read_launch(part, ending, run, sweep::planned_row(resolved));
  judge_scan(rows, measurement.link_rows);
  if (rows.failure.empty()) fs::rename(part, csv);
  return rows;
}

void LaunchedCluster::pause(std::chrono::milliseconds time) const {
  const auto end = Deadline::after(time);
  for (;;) {
    while (const auto signal = signals_.next()) {
      if (signal->number != SIGCHLD) throw sweep::Interrupted(signal->number);
    }
    if (end.passed()) return;
    pollfd news{signals_.fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end.left());
    check_sys(retry_interrupted([&] { return ::poll(&news, 1, static_cast<int>(left.count())); }), "wait");
  }
}

std::string LaunchedCluster::samples_file(const std::string& name) const {
  return fmt::format("{}/{}.samples", folder_, name);
}

void LaunchedCluster::forget(const std::string& name) {
  for (const auto* ending : {".csv", ".csv.part", ".csv.part.failures", ".log", ".samples"})
    fs::remove(folder_ + "/" + name + ending);
}

std::vector<double> LaunchedCluster::computation_us(const std::string& name) const {
  std::vector<double> by_rank;
  if (!fs::exists(samples_file(name))) return by_rank;
  read_samples(samples_file(name), [&by_rank](const SampledRow& row) {
    if (!row.is_step()) return;
    by_rank.clear();
    for (const auto& steps : row.samples.computation_us) by_rank.push_back(steps.empty() ? 0 : median(steps));
  });
  return by_rank;
}

}  // namespace ringmark::accept
