// NCCL's variables as a process has them, and what is wrong with them together.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ringmark {

/// NCCL_ variables of this process.
std::map<std::string, std::string> nccl_environment();
/// Of them what may change how NCCL communicates: not its log, and what only brings ranks together.
std::map<std::string, std::string> chosen_nccl_environment();

/// What is wrong with the values of an environment, and what its variables do to each other, and names that an NCCL of
/// this version (as ncclGetVersion has it) does not know, as far as we know the version (0: it is not known): a line
/// each. Whether an algorithm exists for a collective is NCCL's to say.
std::vector<std::string> wrong_parameters(const std::map<std::string, std::string>& environment, int nccl_version);

/// What variables of an environment do to each other, a line each: too many sockets, a least number above a greatest.
std::vector<std::string> contradictions(const std::map<std::string, std::string>& environment);

}  // namespace ringmark
