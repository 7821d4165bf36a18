// Reads how a sweep file combines the values of its variables: those that change together, and the combinations that it
// leaves out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/input/yaml_reader.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

class CombinationReader {
 public:
  CombinationReader(YamlReader& read, Sweep& sweep) : read_(read), sweep_(sweep) {}

  void read_zips(const YAML::Node& node);
  void read_exclusions(const YAML::Node& node);
  /// Call it once all variables are known: checks that zips and exclusions name existing variables and values.
  void check();

 private:
  struct ExclusionLine {
    std::size_t index;
    std::string name;
    int line;
  };

  const Variable* find(const std::string& name) const;

  YamlReader& read_;
  Sweep& sweep_;
  std::vector<ExclusionLine> exclusion_lines_;
};

}  // namespace ringmark::sweep
