#include "transports/mpi/mpi_bootstrap.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/exit_status.hpp"

namespace ringmark {
namespace {

// Nothing is in flight during MPI_Finalize, so a library that takes longer has hung.
constexpr std::chrono::milliseconds finalize_patience = std::chrono::seconds(5);
constexpr std::chrono::milliseconds last_words = std::chrono::seconds(1);

/// Tells hydra's proxy (PMI-1) that the process ends, as MPI_Finalize does. Otherwise the proxy assumes that the first
/// rank of a host to exit has crashed, and kills its siblings. False if hydra did not start this process.
bool tell_hydra_of_the_end() {
  const char* socket = std::getenv("PMI_FD");
  if (socket == nullptr) return false;
  const int fd = std::atoi(socket);
  constexpr std::string_view request = "cmd=finalize\n";
  if (::write(fd, request.data(), request.size()) != static_cast<ssize_t>(request.size())) return false;
  std::array<char, 64> answer;
  pollfd readable{fd, POLLIN, 0};
  return ::poll(&readable, 1, static_cast<int>(finalize_patience.count())) == 1 &&
         ::read(fd, answer.data(), answer.size()) > 0;
}

}  // namespace

MpiBootstrap::MpiBootstrap(std::shared_ptr<MpiLibrary> library, std::chrono::milliseconds timeout)
    : library_(std::move(library)),
      timeout_(timeout),
      rank_(library_->api().rank(library_->api().world())),
      size_(library_->api().size(library_->api().world())),
      watchdog_(fmt::format("rank {}", rank_), rank_ == 0 ? "the other ranks" : "") {}

std::vector<std::string> MpiBootstrap::all_gather(std::string_view mine) {
  const auto& api = library_->api();
  const auto guard = watchdog_.guard("the exchange of set-up data over MPI", Deadline::after(timeout_), exit_failed);
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<int> lengths(ranks), offsets(ranks);
  library_->check(api.all_gather_lengths(api.world(), static_cast<int>(mine.size()), lengths.data()), "MPI_Allgather");
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  library_->check(api.all_gather_bytes(api.world(), mine.data(), static_cast<int>(mine.size()), all.data(),
                                       lengths.data(), offsets.data()),
                  "MPI_Allgatherv");
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks; ++i) {
    parts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  }
  return parts;
}

void MpiBootstrap::barrier() {
  const auto guard = watchdog_.guard("a barrier over MPI", Deadline::after(timeout_), exit_failed);
  library_->check(library_->api().barrier(library_->api().world()), "MPI_Barrier");
}

void MpiBootstrap::finish(int status) {
  if (status == exit_failed) {
    std::this_thread::sleep_for(last_words);
    return;
  }
  barrier();
  // MPICH 4.0.2 over UCX's TCP often hangs in MPI_Finalize on some ranks, and the launcher then fails the whole run.
  // After the barrier nothing is in flight, and the launcher needs only this.
  if (library_->name() == "mpich" && tell_hydra_of_the_end()) return;
  const auto guard = watchdog_.guard("MPI_Finalize", Deadline::after(std::min(timeout_, finalize_patience)), status);
  library_->check(library_->api().finalize(), "MPI_Finalize");
}

}  // namespace ringmark
