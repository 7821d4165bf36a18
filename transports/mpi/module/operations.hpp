// The operations of MpiApi, using MPI's own calls. Functions return MPI's error code.
#pragma once

#include "base/operation.hpp"
#include "transports/communicator.hpp"

namespace ringmark {

/// Null if MPI can do it, otherwise the reason why not.
const char* why_unsupported_by_mpi(const Operation& operation, bool in_place);

int run_operation(void* communicator, const Operation& operation, Buffers buffers, bool in_place);
/// `*request` is for test_operation, which releases it once it is done.
int start_operation(void* communicator, const Operation& operation, Buffers buffers, bool in_place, void** request);
int test_operation(void* request, int* done);

}  // namespace ringmark
