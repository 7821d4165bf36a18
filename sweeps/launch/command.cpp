#include "sweeps/launch/command.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/files/ready_settings.hpp"
#include "sweeps/nodes/node_launch.hpp"

namespace ringmark::sweep {
namespace {

int number(const Value& value, int otherwise) {
  int result = otherwise;
  if (value) std::from_chars(value->data(), value->data() + value->size(), result);
  return result;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<std::string> fill_template(const Sweep& sweep, const Resolved& resolved,
                                       const std::vector<std::string>& program) {
  const std::map<std::string, std::string> parts{{"{ranks}", std::to_string(resolved.ranks)},
                                                 {"{ranks_per_node}", std::to_string(resolved.ranks_per_node)},
                                                 {"{nodes}", std::to_string(nodes_of(resolved))},
                                                 {"{hosts}", fmt::format("{}", fmt::join(sweep.hosts, ","))}};
  std::vector<std::string> words;
  for (auto word : sweep.launcher.command) {
    if (word == "{command}") {
      append(words, program);
      continue;
    }
    for (const auto& [name, value] : parts) {
      for (std::size_t at = word.find(name); at != std::string::npos; at = word.find(name, at + value.size()))
        word.replace(at, name.size(), value);
    }
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> launcher_words(const Sweep& sweep, const Resolved& resolved) {
  const auto& launcher = sweep.launcher;
  const auto ranks = std::to_string(resolved.ranks);
  const auto per_node = std::to_string(resolved.ranks_per_node);
  const bool says_per_node = says_ranks_per_node(sweep);
  std::vector<std::string> words = launcher.command;
  const auto used_hosts = hosts_of(sweep, resolved);
  switch (launcher.kind) {
    case LauncherKind::mpich:
      if (words.empty()) words = {"mpirun.mpich"};
      append(words, {"-n", ranks});
      if (says_per_node) append(words, {"-ppn", per_node});
      if (!used_hosts.empty()) append(words, {"-hosts", fmt::format("{}", fmt::join(used_hosts, ","))});
      break;
    case LauncherKind::open_mpi:
      if (words.empty()) words = {"mpirun.openmpi"};
      append(words, {"-n", ranks});
      if (says_per_node) append(words, {"--map-by", "ppr:" + per_node + ":node:oversubscribe"});
      if (!used_hosts.empty())
        append(words, {"-H", fmt::format("{}:{}", fmt::join(used_hosts, ":" + per_node + ","), per_node)});
      break;
    case LauncherKind::srun:
    case LauncherKind::slurm:
      if (words.empty()) words = {"srun"};
      if (launcher.kind == LauncherKind::slurm) words.push_back("--mpi=" + launcher.pmi);
      append(words, {"-n", ranks});
      if (says_per_node) append(words, {"--ntasks-per-node", per_node});
      if (!used_hosts.empty()) append(words, {"-w", fmt::format("{}", fmt::join(used_hosts, ","))});
      break;
    case LauncherKind::torchrun:
    case LauncherKind::none:
    case LauncherKind::local:
    case LauncherKind::custom:
      break;
  }
  append(words, launcher.arguments);
  return words;
}

/// Variables are set and unset on the rank itself, because launchers differ in the variables that they forward: by a
/// shell that sources a file, or, in a command line for people to read and repeat, by env(1).
std::vector<std::string> with_environment(const std::map<std::string, Value>& environment,
                                          const std::optional<std::string>& file,
                                          const std::vector<std::string>& program) {
  if (environment.empty()) return program;
  if (file) {
    std::vector<std::string> words{"/bin/sh", "-c", R"(. "$0" && exec "$@")", *file};
    append(words, program);
    return words;
  }
  std::vector<std::string> words{"/usr/bin/env"};
  for (const auto& [name, value] : environment) {
    if (!value) append(words, {"-u", name});
  }
  for (const auto& [name, value] : environment) {
    if (value) words.push_back(name + "=" + *value);
  }
  append(words, program);
  return words;
}

}  // namespace

int ranks_on_a_node(const Resolved& resolved) { return std::min(resolved.ranks_per_node, resolved.ranks); }

int nodes_of(const Resolved& resolved) {
  return (resolved.ranks + resolved.ranks_per_node - 1) / resolved.ranks_per_node;
}

bool says_ranks_per_node(const Sweep& sweep) {
  return sweep.ranks_per_node || !sweep.hosts.empty() ||
         std::any_of(sweep.variables.begin(), sweep.variables.end(),
                     [](const Variable& variable) { return variable.target == Target::ranks_per_node; });
}

std::vector<std::string> hosts_of(const Sweep& sweep, const Resolved& resolved) {
  const auto used = std::min<long>(std::ssize(sweep.hosts), static_cast<long>(nodes_of(resolved)));
  return {sweep.hosts.begin(), sweep.hosts.begin() + used};
}

std::vector<std::string> hosts_of_ranks(const Sweep& sweep, const Resolved& resolved) {
  const auto ranks = static_cast<std::size_t>(resolved.ranks);
  std::vector<std::string> hosts;
  for (const auto& host : hosts_of(sweep, resolved))
    hosts.insert(hosts.end(), static_cast<std::size_t>(resolved.ranks_per_node), host);
  if (hosts.size() < ranks) return {};
  hosts.resize(ranks);
  return hosts;
}

Resolved resolve(const Sweep& sweep, const Setting& setting) {
  Resolved resolved{sweep.programs.at(0), sweep.ranks, sweep.ranks_per_node.value_or(1), {}, {},
                    sweep.environment,    sweep.labels};
  for (const auto& [name, value] : sweep.arguments)
    (target_of(name) == Target::setting ? resolved.settings : resolved.flags)[name] = value;
  for (std::size_t v = 0; v < setting.size(); ++v) {
    const auto& [name, target] = std::tie(sweep.variables[v].name, sweep.variables[v].target);
    switch (target) {
      case Target::program:
        if (setting[v]) resolved.program = parse_program(*setting[v]).value();
        break;
      case Target::ranks:
        resolved.ranks = number(setting[v], resolved.ranks);
        break;
      case Target::ranks_per_node:
        resolved.ranks_per_node = number(setting[v], resolved.ranks_per_node);
        break;
      case Target::flag:
        resolved.flags[name] = setting[v];
        break;
      case Target::setting:
        resolved.settings[name] = setting[v];
        break;
      case Target::environment:
        resolved.environment[name] = setting[v];
        break;
    }
  }
  return resolved;
}

std::vector<std::string> flags_of(const Resolved& resolved) {
  std::vector<std::string> words;
  for (const auto* settings : {&resolved.flags, &resolved.settings}) {
    for (const auto& [name, value] : *settings) {
      if (value) words.push_back(argument_of(name, *value));
    }
  }
  return words;
}

std::vector<std::string> program_words(const Resolved& resolved) {
  const auto& program = facts_of(resolved.program);
  std::vector<std::string> words{path_of(program.executable)};
  if (!program.subcommand.empty()) words.emplace_back(program.subcommand);
  append(words, flags_of(resolved));
  for (const auto& label : resolved.labels) words.push_back("--label=" + label);
  return words;
}

Command launch_command(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program,
                       const std::optional<std::string>& environment_file) {
  const auto on_rank = with_environment(resolved.environment, environment_file, program);
  Command command{{}, resolved.environment};
  if (needs_nodes(sweep.launcher.kind)) return node_part(sweep, resolved, on_rank, 0, {"127.0.0.1", 29500, "one"});
  if (sweep.launcher.kind == LauncherKind::custom) {
    command.words = fill_template(sweep, resolved, on_rank);
    return command;
  }
  command.words = launcher_words(sweep, resolved);
  append(command.words, on_rank);
  if (sweep.launcher.kind == LauncherKind::local) append(command.words, {"--ranks", std::to_string(resolved.ranks)});
  return command;
}

Command node_command(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program,
                     const std::optional<std::string>& environment_file) {
  if (sweep.launcher.kind == LauncherKind::local) return {program, {}};
  auto one_each = resolved;
  one_each.ranks = nodes_of(resolved);
  one_each.ranks_per_node = 1;
  one_each.environment = sweep.environment;
  return launch_command(sweep, one_each, program, environment_file);
}

}  // namespace ringmark::sweep
