#include "sweeps/file/launcher_file.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/input/host_list.hpp"
#include "sweeps/file/yaml_values.hpp"
#include "sweeps/launch/allocation.hpp"

namespace ringmark::sweep {

std::span<const std::pair<std::string_view, LauncherKind>> launcher_kinds() {
  static constexpr std::pair<std::string_view, LauncherKind> kinds[]{
      {"mpich", LauncherKind::mpich}, {"openmpi", LauncherKind::open_mpi},  {"srun", LauncherKind::srun},
      {"slurm", LauncherKind::slurm}, {"torchrun", LauncherKind::torchrun}, {"none", LauncherKind::none},
      {"local", LauncherKind::local}, {"custom", LauncherKind::custom}};
  return kinds;
}

Launcher read_launcher(YamlReader& read, const YAML::Node& node) {
  Launcher launcher;
  const auto read_kind = [&](const YAML::Node& kind) {
    launcher.kind = read.choice("launcher", kind, launcher_kinds());
  };
  if (!node.IsMap()) {
    read_kind(node);
  } else {
    bool has_kind = false;
    for (const auto& [key, value, line] : read.map("launcher", node, {"kind", "command", "arguments"})) {
      const auto where = "launcher." + key;
      has_kind |= key == "kind";
      if (key == "kind") read_kind(value);
      if (key == "command")
        launcher.command = value.IsSequence() ? read.texts(where, value) : std::vector{read.text(where, value)};
      if (key == "arguments") launcher.arguments = read.texts(where, value);
    }
    if (!has_kind && !launcher.command.empty()) launcher.kind = LauncherKind::custom;
  }
  const int line = YamlReader::line_of(node);
  if (launcher.kind != LauncherKind::custom) {
    if (launcher.command.size() > 1) read.problem(line, "launcher.command: a list needs kind: custom");
    if (launcher.kind == LauncherKind::none && !(launcher.command.empty() && launcher.arguments.empty()))
      read.problem(line, "launcher: kind none takes neither command nor arguments; remove them");
    return launcher;
  }
  if (!launcher.arguments.empty())
    read.problem(line, "launcher.arguments: not allowed with kind: custom; put them into launcher.command");
  if (std::find(launcher.command.begin(), launcher.command.end(), "{command}") == launcher.command.end()) {
    read.problem(line,
                 "launcher.command: give a list of words with {{command}} in place of the program, and optionally "
                 "{{ranks}}, {{ranks_per_node}}, {{nodes}} and {{hosts}}");
  }
  return launcher;
}

std::vector<std::string> read_hosts(YamlReader& read, const YAML::Node& node, const std::string& sweep_file) {
  std::vector<std::string> hosts;
  const auto add = [&](const std::string& list) {
    try {
      for (auto& host : expand_host_list(list)) hosts.push_back(std::move(host));
    } catch (const BadUsage& error) {
      read.problem(node, "hosts: {}", error.what());
    }
  };
  if (node.IsSequence()) {
    for (const auto& each : read.texts("hosts", node)) add(each);
  } else if (const auto text = read.text("hosts", node); text.find_first_of("[,") != std::string::npos) {
    add(text);
  } else {
    try {
      hosts = names_of(read_host_file(relative_to(sweep_file, text)));
    } catch (const BadUsage& error) {
      read.problem(node, "hosts: {}; give a list, a text such as node[01-04], or a file", error.what());
    }
  }
  for (const auto& host : hosts) {
    if (host.starts_with('-') || host.find_first_of(" \t") != std::string::npos)
      read.problem(node, "hosts: '{}' is not a host name", host);
  }
  return hosts;
}

}  // namespace ringmark::sweep
