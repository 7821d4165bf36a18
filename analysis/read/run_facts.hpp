// The facts in a sweep's manifest: hosts, kernels, versions, interfaces, environment.
#pragma once

#include <string>
#include <vector>

namespace ringmark::analysis {

struct RunFact {
  std::string folder;
  std::vector<std::string> keys;  ///< from the manifest's root: "sittings 1", "nodes", "host-0", "cores"
  std::string value;

  /// "sittings 1, nodes, host-0, cores"
  std::string what() const;
};

/// The facts of every folder among `paths` that has a manifest.json. An unreadable manifest is a fact as well.
std::vector<RunFact> run_facts(const std::vector<std::string>& paths);

/// Hosts of the sweeps that these launches belong to, in order. A launch's run_id is its sweep's, a dot and a number.
std::vector<std::string> hosts_of(const std::vector<std::string>& run_ids, const std::vector<RunFact>& facts);

}  // namespace ringmark::analysis
