// The process management interface (PMI) through which the ranks that srun starts find each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/system/signal_queue.hpp"
#include "sweeps/file/plan.hpp"
#include "sweeps/run/folder.hpp"

namespace ringmark::sweep {

/// The interfaces in the output of `srun --mpi=list` under which an MPI can run, the most likely one first.
std::vector<std::string> pmi_candidates(std::string_view list);

/// "none" for a sweep that measures nothing over MPI: its ranks meet at a host and port. Otherwise the first candidate
/// under which two ranks of this sweep's programs can use MPI, found by starting them; "none" if there is none, and
/// settings over MPI are then unsupported. The trials' outputs are in logs/pmi-*.log. Throws Interrupted.
std::string find_pmi(const Sweep& sweep, const Plan& plan, const Folder& folder, const SignalQueue& signals);

}  // namespace ringmark::sweep
