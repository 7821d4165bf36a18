#include "bench/backends/mpi_backend.hpp"
#include "bench/backends/nccl_backend.hpp"
#include "bench/backends/tcp_backend.hpp"
#include "bench/backends/verbs_backend.hpp"

namespace ringmark {

std::unique_ptr<Backend> make_backend(Transport transport) {
  switch (transport) {
    case Transport::tcp:
      return std::make_unique<TcpBackend>();
    case Transport::verbs:
      return std::make_unique<VerbsBackend>();
    case Transport::nccl:
      return std::make_unique<NcclBackend>();
    case Transport::mpi:
      break;
  }
  return std::make_unique<MpiBackend>();
}

}  // namespace ringmark
