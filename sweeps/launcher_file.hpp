// Reads a sweep file's launcher and hosts.
#pragma once

#include <string>
#include <vector>

#include "base/yaml_reader.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

Launcher read_launcher(YamlReader& read, const YAML::Node& node);

/// Reads a list, or a file beside the sweep file with a host per line, like MPI's host files.
std::vector<std::string> read_hosts(YamlReader& read, const YAML::Node& node, const std::string& sweep_file);

}  // namespace ringmark::sweep
