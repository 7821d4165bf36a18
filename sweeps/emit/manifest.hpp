// A sweep as a Kubernetes manifest.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sweeps/emit/manifest_options.hpp"
#include "sweeps/file/checked_sweep.hpp"

namespace ringmark::sweep {

enum class ManifestKind {
  mpijob,  ///< Kubeflow's MPIJob v2beta1: a launcher with mpirun, and workers that it reaches by ssh
  job,     ///< an Indexed Job with a headless service: the pods meet without MPI or ssh
  jobset   ///< a JobSet, likewise
};

/// By their names in --for.
std::span<const std::pair<std::string_view, ManifestKind>> manifest_kinds();

/// The documents that run the sweep with `overrides` on as many nodes as it needs, one pod on each; they include the
/// sweep file. A pod that ends at its time limit is restarted, and the sweep continues. Options that only some clusters
/// need are commented out. Throws BadUsage for options that Kubernetes would reject.
std::string manifest(const CheckedSweep& checked, ManifestKind kind, const std::string& sweep_file,
                     const Overrides& overrides, const ManifestOptions& options);

}  // namespace ringmark::sweep
