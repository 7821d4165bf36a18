#include "transports/mpi/mpi_communicator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"

namespace ringmark {
MpiCommunicator::MpiCommunicator(const std::shared_ptr<MpiLibrary>& library)
    : MpiCommunicator(library, library->api().world(), false) {}

MpiCommunicator::MpiCommunicator(std::shared_ptr<MpiLibrary> library, void* handle, bool owned)
    : library_(std::move(library)),
      handle_(handle),
      owned_(owned),
      rank_(library_->api().rank(handle)),
      size_(library_->api().size(handle)),
      watchdog_(fmt::format("rank {}", rank_)) {}

MpiCommunicator::~MpiCommunicator() {
  if (owned_) library_->api().release(handle_);
}

std::optional<std::string> MpiCommunicator::why_unsupported(const Operation& operation, bool in_place) const {
  const char* reason = library_->api().why_unsupported(operation, in_place);
  if (reason == nullptr) return std::nullopt;
  return reason;
}

Ticket MpiCommunicator::start(const Operation& operation, Buffers buffers) {
  if (const auto reason = why_unsupported(operation, is_in_place(operation, buffers, rank_))) throw BadUsage(*reason);
  pending_.push_back({operation, buffers});
  ++started_;
  progress();
  return {started_};
}

void MpiCommunicator::progress() {
  if (pending_.empty()) return;
  const auto& next = pending_.front();
  if (request_ == nullptr) {
    library_->check(library_->api().start(handle_, next.operation, next.buffers,
                                          is_in_place(next.operation, next.buffers, rank_), &request_),
                    name(next.operation.collective));
  }
  int done = 0;
  library_->check(library_->api().test(request_, &done), "MPI_Test");
  if (done == 0) return;
  request_ = nullptr;
  pending_.pop_front();
  ++finished_;
}

bool MpiCommunicator::test(Ticket ticket) {
  if (finished_ < ticket.number) progress();
  return finished_ >= ticket.number;
}

void MpiCommunicator::wait(Ticket ticket, Clock::duration patience) {
  auto deadline = Deadline::after(patience);
  for (auto before = finished_; !test(ticket);) {
    if (deadline.passed()) throw TimedOut("timed out waiting for an MPI collective");
    if (std::exchange(before, finished_) != finished_) deadline = Deadline::after(patience);
  }
}

void MpiCommunicator::run(const Operation& operation, Buffers buffers, Clock::duration patience) {
  const auto guard = watchdog_.guard("a collective call of MPI", Deadline::after(patience), exit_failed);
  library_->check(library_->api().run(handle_, operation, buffers, is_in_place(operation, buffers, rank_)),
                  name(operation.collective));
}

std::unique_ptr<Communicator> MpiCommunicator::split(std::span<const int> ranks, Deadline deadline) {
  const auto guard = watchdog_.guard("MPI_Comm_split", deadline, exit_failed);
  void* group = nullptr;
  library_->check(library_->api().split(handle_, ranks.front(), rank_, &group), "MPI_Comm_split");
  return std::unique_ptr<Communicator>(new MpiCommunicator(library_, group, true));
}

}  // namespace ringmark
