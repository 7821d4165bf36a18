#pragma once

namespace ringmark::doctor {

/// ringmark-doctor. Exit status: 0 nothing that hurts, 1 warnings or problems, 2 bad usage.
int doctor_main(int argc, const char* const* argv);

}  // namespace ringmark::doctor
