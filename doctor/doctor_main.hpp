#pragma once

#include "doctor/finding.hpp"
#include "doctor/node.hpp"

namespace ringmark::doctor {

/// All checks, in the order that people read them.
Findings examine(const Node& node);

/// ringmark-doctor. Exit status: 0 nothing that hurts, 1 warnings or problems, 2 bad usage.
int doctor_main(int argc, const char* const* argv);

}  // namespace ringmark::doctor
