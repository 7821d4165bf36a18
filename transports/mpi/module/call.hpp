// The arguments of one operation in MPI's terms.
#pragma once

#include <vector>

#include "base/operation.hpp"
#include "transports/communicator.hpp"
#include "transports/mpi/module/mpi_header.hpp"

namespace ringmark {

struct Call {
  Call(void* handle, const Operation& operation, Buffers buffers, bool in_place);
  MPI_Comm communicator;
  int root, count;
  MPI_Datatype type;
  MPI_Op op;
  const void* send;
  void* recv;
};

/// The arguments of a call with unequal blocks.
struct Blocks {
  Blocks(const Operation& operation, int rank);
  int own = 0;  ///< the elements of this rank's block
  std::vector<int> send_counts, send_offsets, recv_counts, recv_offsets;
};

}  // namespace ringmark
