// The command of a pod that runs a sweep. The shell in it is the pod's first process, to which Kubernetes sends its
// signals; it passes TERM on and waits for the sweep.
#pragma once

#include <string>
#include <vector>

namespace ringmark::sweep {

struct PodSweep {
  std::vector<std::string> run;        ///< the words that begin the sweep, but for its folder
  std::vector<std::string> more;       ///< flags for beginning it and for going on with it
  std::string results;                 ///< its folder in the pods
  bool is_always_tried_again = false;  ///< after whatever failure; otherwise by the pod's exit status
};

/// Begins the sweep, or goes on with what a pod before this one has begun. The pod ends with the sweep's exit status,
/// but with 3, which asks for another try, only while that helps. A pod that is always tried again ends with 0 once
/// another try changes nothing, and says how the sweep ended. Kubernetes leaves the words as they are.
std::vector<std::string> pod_command(const PodSweep& sweep);

}  // namespace ringmark::sweep
