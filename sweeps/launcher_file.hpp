// What a sweep file says of where ranks run, and of what starts them.
#pragma once

#include <string>
#include <vector>

#include "base/yaml_reader.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

Launcher read_launcher(YamlReader& read, const YAML::Node& node);

/// A list, or a file beside the sweep file with a host per line, as MPI's host files have them.
std::vector<std::string> read_hosts(YamlReader& read, const YAML::Node& node, const std::string& sweep_file);

}  // namespace ringmark::sweep
