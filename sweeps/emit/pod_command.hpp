// The command of a pod that runs a sweep. The shell in it is the pod's first process, to which Kubernetes sends its
// signals; it passes TERM on and waits for the sweep.
#pragma once

#include <string>
#include <vector>

namespace ringmark::sweep {

struct PodSweep {
  std::vector<std::string> run;        ///< the words that begin the sweep, without its folder
  std::vector<std::string> more;       ///< flags both for beginning and for resuming it
  std::string results;                 ///< its folder in the pods
  bool is_always_tried_again = false;  ///< after any failure; otherwise by the pod's exit status
};

/// Begins the sweep, or resumes what an earlier pod has begun. The pod ends with the sweep's exit status, except that
/// 3, which requests a retry, becomes 1 if a retry cannot help. A pod that is always retried ends with 0 once a retry
/// would change nothing, and reports how the sweep ended. The words are escaped, so Kubernetes does not expand them.
std::vector<std::string> pod_command(const PodSweep& sweep);

}  // namespace ringmark::sweep
