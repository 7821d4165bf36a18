// The options of a manifest, checked against what Kubernetes accepts.
#pragma once

#include <optional>
#include <string>

namespace ringmark::sweep {

struct ManifestOptions {
  std::string results;                  ///< the folder in the pods; a volume is mounted at its first part
  std::string time_limit = "01:00:00";  ///< of a pod, in sbatch's format
  std::string name;                     ///< of all objects; if empty, derived from the sweep file's
  std::string image = "ringmark";
  std::optional<int> gpus_per_node;        ///< to request; 0 for none; by default as many as the sweep uses
  std::string claim = "ringmark-results";  ///< the volume claim for the results
};

/// Returns `options` with a name, and with the results in a folder on the volume, not at its root. Throws BadUsage for
/// options that Kubernetes would reject; parse_time_limit checks the time limit.
ManifestOptions completed(ManifestOptions options, const std::string& sweep_file);

/// The first part of the path of the results, where the volume is mounted.
std::string volume_of(const ManifestOptions& options);

}  // namespace ringmark::sweep
