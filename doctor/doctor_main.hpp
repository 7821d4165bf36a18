#pragma once

#include "doctor/finding.hpp"
#include "doctor/node.hpp"

namespace ringmark::doctor {

/// The findings of all checks, in reading order.
Findings examine(const Node& node);

/// ringmark-doctor. Exit status: 0 no warnings or problems, 1 warnings or problems, 2 bad usage.
int doctor_main(int argc, const char* const* argv);

}  // namespace ringmark::doctor
