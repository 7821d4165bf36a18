// The module, compiled once against each installed MPI.
#include <cstring>
#include <memory>

#include "transports/mpi/module/mpi_header.hpp"
#include "transports/mpi/module/operations.hpp"
#include "transports/mpi/mpi_api.hpp"

namespace ringmark {
namespace {

const char* library() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  if (char* end = std::strchr(text, '\n')) *end = '\0';
  for (char* c = text; *c != '\0'; ++c) {
    if (*c == '\t') *c = ' ';
  }
  return text;
}

int initialise() {
  int provided = 0;
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS) return code;
  return MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void error_text(int code, char* text, std::size_t bytes) {
  char whole[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, whole, &length);
  std::strncpy(text, whole, bytes - 1);
  text[bytes - 1] = '\0';
}

void* world() {
  static Handle handle{MPI_COMM_WORLD};
  return &handle;
}

int rank_of(void* handle) { return rank_in(comm(handle)); }
int ranks_of(void* handle) { return size_in(comm(handle)); }

int split(void* handle, int color, int key, void** group) {
  auto result = std::make_unique<Handle>();
  const int code = MPI_Comm_split(comm(handle), color, key, &result->communicator);
  *group = code == MPI_SUCCESS ? result.release() : nullptr;
  return code;
}

void release(void* handle) {
  const std::unique_ptr<Handle> owned(static_cast<Handle*>(handle));
  MPI_Comm_free(&owned->communicator);
}

int barrier(void* handle) { return MPI_Barrier(comm(handle)); }

int all_gather_lengths(void* handle, int length, int* lengths) {
  return MPI_Allgather(&length, 1, MPI_INT, lengths, 1, MPI_INT, comm(handle));
}

int all_gather_bytes(void* handle, const char* mine, int length, char* all, const int* lengths, const int* offsets) {
  return MPI_Allgatherv(mine, length, MPI_CHAR, all, lengths, offsets, MPI_CHAR, comm(handle));
}

}  // namespace
}  // namespace ringmark

extern "C" __attribute__((visibility("default"))) const ringmark::MpiApi* ringmark_mpi_api() {
  using namespace ringmark;
  static const MpiApi api{MpiApi::current_abi,
                          library,
                          initialise,
                          MPI_Finalize,
                          error_text,
                          world,
                          rank_of,
                          ranks_of,
                          split,
                          release,
                          barrier,
                          all_gather_lengths,
                          all_gather_bytes,
                          why_unsupported_by_mpi,
                          run_operation,
                          start_operation,
                          test_operation};
  return &api;
}
