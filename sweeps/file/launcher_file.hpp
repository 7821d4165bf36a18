// Reads a sweep file's launcher and hosts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/input/yaml_reader.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// The kinds by their names in the file. Only custom needs a command.
std::span<const std::pair<std::string_view, LauncherKind>> launcher_kinds();

Launcher read_launcher(YamlReader& read, const YAML::Node& node);

/// Reads a list, a text in Slurm's notation ("node[01-04]"), or the path, relative to the sweep file, of a file with a
/// host per line, like MPI's host files. Names in lists and files may be in that notation too.
std::vector<std::string> read_hosts(YamlReader& read, const YAML::Node& node, const std::string& sweep_file);

}  // namespace ringmark::sweep
