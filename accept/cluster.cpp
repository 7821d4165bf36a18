#include "accept/cluster.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "base/system/files.hpp"
#include "base/units.hpp"
#include "base/write_file.hpp"
#include "results/csv.hpp"
#include "sweeps/command.hpp"
#include "sweeps/environment_file.hpp"
#include "sweeps/launch_options.hpp"
#include "sweeps/process_group.hpp"

namespace ringmark::accept {
namespace {

namespace fs = std::filesystem;

constexpr auto visit_deadline = std::chrono::seconds(60);
constexpr auto launch_deadline = std::chrono::minutes(10);
constexpr auto grace = std::chrono::seconds(5);

void heed(const sweep::Ending& ending) {
  if (ending.interrupted_by) throw sweep::Interrupted(*ending.interrupted_by);
}

/// A rank on each of the hosts.
sweep::Sweep sweep_on(const std::vector<std::size_t>& hosts, const Criteria& criteria, const Measurement& measurement) {
  sweep::Sweep sweep;
  sweep.programs = {measurement.program};
  sweep.launcher = criteria.launcher;
  sweep.ranks = static_cast<int>(hosts.size());
  sweep.ranks_per_node = 1;
  for (const auto host : hosts) sweep.hosts.push_back(criteria.fabric.hosts[host]);
  sweep.arguments = measurement.arguments;
  sweep.arguments.insert(criteria.arguments.begin(), criteria.arguments.end());
  sweep.environment = criteria.environment;
  return sweep;
}

std::vector<std::size_t> all_hosts(const Criteria& criteria) {
  std::vector<std::size_t> all(criteria.fabric.hosts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

Measurement links_measurement(const Criteria& criteria) {
  return {sweep::Program::link, {{"pairs", "all"}, {"test", "bandwidth"}, {"sizes", format_size(criteria.size_bytes)}}};
}

Measurement together_measurement(const Criteria& criteria) {
  return {sweep::Program::all_reduce, {{"sizes", format_size(criteria.size_bytes)}, {"in-place", "no"}}};
}

std::vector<Problem> argument_problems(const Criteria& criteria, const std::string& file) {
  const Place place{file, criteria.arguments_line};
  std::vector<Problem> problems;
  for (const auto& measurement : {links_measurement(criteria), together_measurement(criteria)}) {
    for (const auto& [name, value] : measurement.arguments) {
      if (criteria.arguments.contains(name))
        problems.push_back({.flag = "arguments." + name,
                            .text = "is set by the rungs themselves",
                            .remedy = name == "sizes" ? "give size: at the top of the file" : "leave it out",
                            .place = place});
    }
    auto refused = sweep::problems_of(sweep::resolve(sweep_on(all_hosts(criteria), criteria, measurement), {}));
    for (auto& problem : refused) {
      problem.place = place;
      problems.push_back(std::move(problem));
    }
  }
  // Both programs refuse most of them alike.
  std::vector<Problem> once;
  for (auto& problem : problems) {
    if (std::find(once.begin(), once.end(), problem) == once.end()) once.push_back(std::move(problem));
  }
  return once;
}

Cluster::Cluster(const Criteria& criteria, std::string folder)
    : criteria_(criteria), folder_(fs::absolute(std::move(folder)).string()) {
  fs::create_directories(folder_);
  sweep::kill_marked(mark(""));
}

std::string Cluster::mark(const std::string& name) const { return fmt::format("accept {}/{}", folder_, name); }

/// The launcher's words if it fails.
std::string Cluster::visit_together(const std::vector<std::size_t>& hosts, const std::string& to) const {
  const auto sweep = sweep_on(hosts, criteria_, links_measurement(criteria_));
  const sweep::EnvironmentFile environment(to + ".environment", sweep.environment);
  const auto command = sweep::node_command(sweep, sweep::resolve(sweep, {}),
                                           {sweep::path_of("ringmark-sweep"), "describe-node", to}, environment.path());
  const sweep::CommandRun run{visit_deadline, grace, to + ".log", mark("nodes")};
  const auto ending = sweep::run_command(command, run, signals_);
  heed(ending);
  if (ending.past_deadline) return fmt::format("no answer within {} s", visit_deadline.count());
  return ending.raw_status == 0 ? "" : sweep::tail_of(run.log);
}

Visit Cluster::visit() const {
  const auto to = folder_ + "/nodes";
  fs::remove_all(to);
  fs::create_directories(to);
  const auto all = all_hosts(criteria_);
  Visit visit;
  if (!visit_together(all, to).empty()) {
    for (const auto host : all) {
      if (auto failure = visit_together({host}, to); !failure.empty()) visit.why_not[host] = std::move(failure);
    }
  }
  std::map<std::string, nlohmann::json> by_name;
  for (const auto& entry : fs::directory_iterator(to)) {
    auto facts = nlohmann::json::parse(read_if_readable(entry.path()), nullptr, false);
    if (facts.is_object()) by_name[entry.path().stem()] = std::move(facts);
  }
  for (const auto host : all) {
    const auto& name = criteria_.fabric.hosts[host];
    // A host may call itself by less or more than its name in the list: node1, node1.cluster.
    const auto is_it = [&](const std::string& own) {
      return own.substr(0, own.find('.')) == name.substr(0, name.find('.'));
    };
    const auto facts =
        std::find_if(by_name.begin(), by_name.end(), [&](const auto& each) { return is_it(each.first); });
    if (facts != by_name.end()) {
      visit.facts[host] = facts->second;
    } else if (!visit.why_not.contains(host)) {
      visit.why_not[host] = fmt::format("no process called its host so, or {} is not the same folder there", folder_);
    }
  }
  return visit;
}

void Cluster::measure_on(std::vector<std::size_t> hosts) {
  hosts_ = std::move(hosts);
  std::string names;
  for (const auto host : hosts_) names += criteria_.fabric.hosts[host] + "\n";
  const auto file = folder_ + "/hosts";
  if (read_if_readable(file) == names) return;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == ".csv") fs::remove(entry.path());
  }
  write_file(file, names);
}

sweep::LaunchRows Cluster::launch(const std::string& name, const Measurement& measurement) const {
  const auto sweep = sweep_on(hosts_, criteria_, measurement);
  const auto resolved = sweep::resolve(sweep, {});
  const auto csv = fmt::format("{}/{}.csv", folder_, name), log = fmt::format("{}/{}.log", folder_, name);
  const sweep::CommandRun run{launch_deadline, grace, log, mark(name)};
  // The table of a finished launch is there under its own name only.
  if (fs::exists(csv)) return sweep::read_launch(csv, {}, run, sweep::planned_row(resolved));
  const auto part = csv + ".part";
  fs::remove(part);
  auto words = sweep::program_words(resolved);
  words.push_back("--csv=" + part);
  const sweep::EnvironmentFile environment(fmt::format("{}/{}.environment", folder_, name), resolved.environment);
  const auto ending =
      sweep::run_command(sweep::launch_command(sweep, resolved, words, environment.path()), run, signals_);
  heed(ending);
  auto rows = sweep::read_launch(part, ending, run, sweep::planned_row(resolved));
  if (rows.failure.empty()) fs::rename(part, csv);
  return rows;
}

}  // namespace ringmark::accept
