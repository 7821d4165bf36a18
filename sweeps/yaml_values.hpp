// What sweep files have beyond YAML: values that may be unset, and files named beside them.
#pragma once

#include <string>

#include "base/yaml_reader.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

/// Nothing for `unset` and for an empty value, unless quoted.
Value value_in(YamlReader& read, const std::string& where, const YAML::Node& node);

/// A value, or a list of them joined by commas as flags take lists.
Value joined_in(YamlReader& read, const std::string& where, const YAML::Node& node);

/// A file that a sweep file names, relative to that one.
std::string beside(const std::string& sweep_file, const std::string& name);

}  // namespace ringmark::sweep
