// Where the rows of each file come from: runs, times, hosts, versions and labels.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// node9 before node10.
struct NumbersByValue {
  bool operator()(const std::string& a, const std::string& b) const;
};

/// Sets are empty if the rows lack the information.
struct Origin {
  std::size_t rows = 0, runs = 0;
  std::string first_utc, last_utc;
  std::set<std::string, NumbersByValue> hosts;
  std::set<std::string> versions;  ///< the program's alone; a library's after its name, "nccl 2.28.9"
  std::set<std::string> labels;    ///< KEY=VALUE
};

/// By file.
std::map<std::string, Origin> origins_of(const Table& table);

}  // namespace ringmark::analysis
