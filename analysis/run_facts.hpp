// What a sweep's manifest says of its runs: hosts, kernels, versions, interfaces, environment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringmark::analysis {

struct RunFact {
  std::string folder, what, value;  ///< "sweep", "sittings 1, nodes, host-0, cores", "2"
};

/// Of the folders among `paths` that hold a manifest.json. One that cannot be read is a fact as well.
std::vector<RunFact> run_facts(const std::vector<std::string>& paths);

/// By the run_id of a sweep; a launch's is that, a dot and its number.
std::map<std::string, std::set<std::string>> hosts_of_runs(const std::vector<RunFact>& facts);

}  // namespace ringmark::analysis
