// The part of an MPI library that the programs use, through one module per implementation that is opened only under its
// launcher. So the programs themselves do not link to MPI, and one binary serves all.
#pragma once

#include <cstddef>

#include "base/operation.hpp"
#include "transports/communicator.hpp"

namespace ringmark {

/// Functions return 0 or an MPI error code, for error_text. Handles are the module's own.
struct MpiApi {
  static constexpr unsigned current_abi = 3;

  unsigned abi;
  const char* (*library)();
  int (*initialise)();
  int (*finalize)();
  void (*error_text)(int code, char* text, std::size_t bytes);

  void* (*world)();
  int (*rank)(void* communicator);
  int (*size)(void* communicator);
  /// Ranks with the same color form a group, in the order of their keys.
  int (*split)(void* communicator, int color, int key, void** group);
  void (*release)(void* group);
  int (*barrier)(void* communicator);
  /// lengths[r] bytes from each rank r, one after another.
  int (*all_gather_lengths)(void* communicator, int length, int* lengths);
  int (*all_gather_bytes)(void* communicator, const char* mine, int length, char* all, const int* lengths,
                          const int* offsets);

  /// Null if MPI can do it, otherwise the reason why not.
  const char* (*why_unsupported)(const Operation& operation, bool in_place);
  int (*run)(void* communicator, const Operation& operation, Buffers buffers, bool in_place);
  int (*start)(void* communicator, const Operation& operation, Buffers buffers, bool in_place, void** request);
  /// Releases the request once it is done.
  int (*test)(void* request, int* done);
};

/// The symbol that each module exports.
constexpr const char* mpi_api_symbol = "ringmark_mpi_api";

}  // namespace ringmark
