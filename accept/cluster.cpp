#include "accept/cluster.hpp"

#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "base/system/files.hpp"
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
  if (ending.interrupted_by) throw Interrupted(*ending.interrupted_by);
}

}  // namespace

Cluster::Cluster(const Criteria& criteria, std::string folder)
    : criteria_(criteria), folder_(fs::absolute(std::move(folder)).string()) {
  fs::create_directories(folder_);
  sweep::kill_marked(mark(""));
}

std::string Cluster::mark(const std::string& name) const { return fmt::format("accept {}/{}", folder_, name); }

sweep::Sweep Cluster::sweep_of(const std::vector<std::size_t>& hosts) const {
  sweep::Sweep sweep;
  sweep.launcher = criteria_.launcher;
  sweep.ranks = static_cast<int>(hosts.size());
  sweep.ranks_per_node = 1;
  for (const auto host : hosts) sweep.hosts.push_back(criteria_.fabric.hosts[host]);
  sweep.arguments = criteria_.arguments;
  sweep.environment = criteria_.environment;
  return sweep;
}

/// The launcher's words if it fails.
std::string Cluster::visit_together(const std::vector<std::size_t>& hosts, const std::string& to) const {
  auto sweep = sweep_of(hosts);
  sweep.programs = {sweep::Program::link};
  const sweep::EnvironmentFile environment(to + ".environment", sweep.environment);
  const auto command = sweep::node_command(sweep, sweep::resolve(sweep, {}),
                                           {sweep::path_of("ringmark-sweep"), "describe-node", to}, environment.path());
  const sweep::CommandRun run{visit_deadline, grace, to + ".log", mark("nodes")};
  const auto ending = sweep::run_command(command, run, signals_);
  heed(ending);
  if (ending.past_deadline) return fmt::format("no answer within {} s", visit_deadline.count());
  return ending.raw_status == 0 ? "" : sweep::tail_of(run.log);
}

std::map<std::size_t, nlohmann::json> Cluster::visit(std::map<std::size_t, std::string>& why_not) const {
  const auto to = folder_ + "/nodes";
  fs::remove_all(to);
  fs::create_directories(to);
  std::vector<std::size_t> all(criteria_.fabric.hosts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (!visit_together(all, to).empty()) {
    for (const auto host : all) {
      if (auto failure = visit_together({host}, to); !failure.empty()) why_not[host] = std::move(failure);
    }
  }
  std::map<std::string, nlohmann::json> by_name;
  for (const auto& entry : fs::directory_iterator(to)) {
    auto facts = nlohmann::json::parse(read_if_readable(entry.path()), nullptr, false);
    if (facts.is_object()) by_name[entry.path().stem()] = std::move(facts);
  }
  std::map<std::size_t, nlohmann::json> found;
  for (const auto host : all) {
    const auto& name = criteria_.fabric.hosts[host];
    // A host may call itself by less or more than its name in the list: node1, node1.cluster.
    const auto is_it = [&](const std::string& own) {
      return own.substr(0, own.find('.')) == name.substr(0, name.find('.'));
    };
    const auto facts =
        std::find_if(by_name.begin(), by_name.end(), [&](const auto& each) { return is_it(each.first); });
    if (facts != by_name.end()) {
      found[host] = facts->second;
    } else if (!why_not.contains(host)) {
      why_not[host] = fmt::format("no process called its host so, or {} is not the same folder there", folder_);
    }
  }
  return found;
}

sweep::LaunchRows Cluster::launch(const std::string& name, sweep::Program program,
                                  const std::map<std::string, sweep::Value>& arguments,
                                  const std::vector<std::size_t>& hosts) const {
  auto sweep = sweep_of(hosts);
  sweep.programs = {program};
  for (const auto& [flag, value] : arguments) sweep.arguments[flag] = value;
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
