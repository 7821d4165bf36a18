// The file for --fabric: a fabric in YAML.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "lab/fault.hpp"
#include "lab/rate.hpp"

namespace ringmark::lab {

constexpr int default_spines = 2;

/// A fabric as given by the file or the command line.
struct FabricFile {
  std::optional<int> leaves, spines, hosts_per_leaf, rails;
  std::optional<Rate> rate, uplink;
  std::optional<std::uint32_t> burst_bytes;
  std::map<std::string, Rate> links{};  // by name
  std::vector<Fault> faults{};

  bool is_any() const { return leaves || spines || hosts_per_leaf || rails || uplink; }
};

struct FabricReading {
  FabricFile fabric;
  std::vector<Problem> problems;
};

/// All problems of the file, reported together.
FabricReading read_fabric(const std::string& path);

}  // namespace ringmark::lab
