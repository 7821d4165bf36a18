// Reads a variable of a sweep file: its values, as a list or a range.
#pragma once

#include <string>

#include "base/input/yaml_reader.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

Variable read_variable(YamlReader& read, const std::string& name, const YAML::Node& node, int line);

/// "iters" for "--iters". check_flag reports the dashes.
std::string without_dashes(const std::string& name);

/// Reports a flag that the sweep itself sets, or one that is written with dashes.
void check_flag(YamlReader& read, const std::string& where, const std::string& name, int line);

}  // namespace ringmark::sweep
