// MPI's own header, as used to compile each module.
#pragma once

// The C++ bindings that the headers would pull in are no longer part of MPI.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace ringmark {

/// What MpiApi's communicator handles point to.
struct Handle {
  MPI_Comm communicator;
};
inline MPI_Comm comm(void* handle) { return static_cast<Handle*>(handle)->communicator; }

inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

inline int size_in(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

}  // namespace ringmark
