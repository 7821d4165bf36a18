// Sweep files' additions to YAML: values that may be unset, and paths relative to the sweep file.
#pragma once

#include <string>

#include "base/input/yaml_reader.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// Returns nullopt for `unset` and for an empty value, unless quoted.
Value value_in(YamlReader& read, const std::string& where, const YAML::Node& node);

/// A value, or a list of values joined by commas, as flags take lists.
Value joined_in(YamlReader& read, const std::string& where, const YAML::Node& node);

/// The path of a file that a sweep file names: relative to the sweep file.
std::string relative_to(const std::string& sweep_file, const std::string& name);

}  // namespace ringmark::sweep
