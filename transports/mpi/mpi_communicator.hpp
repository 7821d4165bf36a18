// MPI's own collectives, as the baseline for comparisons.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/system/watchdog.hpp"
#include "transports/communicator.hpp"
#include "transports/mpi/mpi_library.hpp"

namespace ringmark {

/// run() makes the blocking call, start() the non-blocking one, one at a time and in order. If a call does not return
/// by its deadline, the process exits with status 3, since MPI offers no way to cancel it.
class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(const std::shared_ptr<MpiLibrary>& library);
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Memory& memory() const override { return host_memory(); }
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const override;
  Choice choice_for(const Operation& /*operation*/, bool /*in_place*/) const override { return {}; }

  void keep(std::span<std::byte>) override {}
  void forget(std::span<std::byte>) override {}
  Ticket start(const Operation& operation, Buffers buffers) override;
  bool test(Ticket ticket) override;
  void wait(Ticket ticket, Clock::duration patience) override;
  void progress() override;
  void run(const Operation& operation, Buffers buffers, Clock::duration patience) override;
  std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) override;

 private:
  struct Pending {
    Operation operation;
    Buffers buffers;
  };
  MpiCommunicator(std::shared_ptr<MpiLibrary> library, void* handle, bool owned);

  std::shared_ptr<MpiLibrary> library_;
  void* handle_;
  bool owned_;
  int rank_, size_;
  Watchdog watchdog_;
  std::deque<Pending> pending_;
  void* request_ = nullptr;
  std::uint64_t started_ = 0, finished_ = 0;
};

}  // namespace ringmark
