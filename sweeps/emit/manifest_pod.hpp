// The pods of a sweep's manifest: one container each, with the sweep file, the results and shared memory.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "sweeps/emit/manifest_yaml.hpp"

namespace ringmark::sweep {

struct PodFacts {
  std::string name;   ///< of the objects
  std::string label;  ///< label that selects the pods of the job
  std::string image, claim;
  std::string volume_path;              ///< where the volume for the results is mounted
  int gpus = 0;                         ///< requested by each measuring pod; 0 for none
  int ranks = 0;                        ///< on each measuring pod
  std::chrono::seconds time_to_stop{};  ///< between SIGTERM and SIGKILL
};

constexpr auto sweep_folder = "/sweep";

/// The keys of a pod's `spec`; `container` writes what the container runs. Measuring pods are spread over the nodes and
/// get commented-out options. `time_limit` ends a pod.
void write_pod(ManifestYaml& out, const PodFacts& facts, bool is_measuring,
               const std::optional<std::chrono::seconds>& time_limit, const std::function<void()>& container);

/// The container's keys that let the pods of an Indexed Job meet without MPI.
void write_meeting(ManifestYaml& out, int nodes, const std::string& first_pod);

}  // namespace ringmark::sweep
