// NCCL's variables in an environment, and checks of their values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace ringmark {

/// This process's NCCL_ variables.
std::map<std::string, std::string> nccl_environment();
/// The NCCL_ variables that may change how NCCL communicates, excluding those for its log or for bringing ranks
/// together.
std::map<std::string, std::string> chosen_nccl_environment();

/// Wrong values, contradictions and names unknown to this version of NCCL. `nccl_version` is ncclGetVersion's number, 0
/// if unknown. Does not check whether an algorithm exists for a collective, since NCCL reports that.
std::vector<Problem> wrong_parameters(const std::map<std::string, std::string>& environment, int nccl_version);

/// Variables of an environment that contradict each other: too many sockets, a minimum above its maximum.
std::vector<Problem> contradictions(const std::map<std::string, std::string>& environment);

}  // namespace ringmark
