// The settings of a transport that step 1 tries if the run's file lists none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweeps/file/plan.hpp"
#include "sweeps/training/training_run.hpp"

namespace ringmark::sweep {

/// The values of the transport's variables.
using TransportSettings = std::map<std::string, Value>;

/// The file's variables, or the usual ones of the transport that its arguments name; none for MPI, whose libraries
/// differ.
std::vector<Variable> collective_variables(const TrainingRun& run);

/// The variable by which launches vary the step, with a value for each file.
Variable step_variable(const std::vector<std::string>& files);

TransportSettings settings_of(const std::vector<Variable>& variables, const Setting& setting);
/// Sets them for every launch of a sweep.
void set_transport(const TransportSettings& settings, Sweep& sweep);
/// "tcp.sockets=4", for those that differ from `from`.
std::map<std::string, std::string> difference(const TransportSettings& settings, const TransportSettings& from);

}  // namespace ringmark::sweep
