// A communicator that calls NCCL, with a deadline on every wait. It polls the device, NCCL's asynchronous errors and
// the other ranks' connections. The watchdog bounds calls that may not return; it ends the process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "transports/communicator.hpp"
#include "transports/memory/cuda/stream.hpp"
#include "transports/nccl/marks.hpp"
#include "transports/nccl/nccl_graphs.hpp"
#include "transports/nccl/nccl_peers.hpp"
#include "transports/nccl/nccl_runtime.hpp"
#include "transports/nccl/registrations.hpp"

namespace ringmark {

/// One rank on the GPU of its runtime. A failure aborts all communicators of the runtime; if the abort does not return,
/// the process ends with status 3.
class NcclCommunicator final : public Communicator, public DeviceOperations {
 public:
  NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, int rank, int size, NcclPeers peers);
  ~NcclCommunicator() override;
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  std::string_view backend() const override { return "nccl"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Memory& memory() const override { return runtime_->memory(); }
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const override;
  bool rounds_averages() const override { return true; }
  DeviceOperations* device() override { return this; }
  std::optional<std::string> try_out(const Operation& operation, Buffers buffers, Clock::duration patience) override;
  Choice choice_for(const Operation& operation, bool in_place) const override;
  std::optional<LaunchTimes> last_launch() const override { return last_launch_; }

  void keep(std::span<std::byte> memory) override;
  void forget(std::span<std::byte> memory) override;
  Ticket start(const Operation& operation, Buffers buffers) override;
  bool test(Ticket ticket) override;
  void wait(Ticket ticket, Clock::duration patience) override;
  void progress() override;
  void run(const Operation& operation, Buffers buffers, Clock::duration patience) override;
  void run_batch(const Operation& operation, std::span<const Buffers> buffers, Clock::duration patience) override;
  std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) override;

 private:
  /// Result of trying an operation out.
  struct Tried {
    std::string refusal;
    Choice choice;
  };
  using TriedKey = std::pair<Operation, bool>;  ///< and whether it is in place

  NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, nccl::Comm comm, int rank, int size, NcclPeers peers);
  void connect();
  void reconnect();
  /// The process ends if `call` takes longer than the time-out.
  Watchdog::Guard bounded(const char* call) const;
  /// Enqueues the operation. Returns NCCL's result.
  nccl::Result issue(const Operation& operation, Buffers buffers);
  void launch(const Operation& operation, Buffers buffers);
  void require(nccl::Result result, std::string_view what);
  template <class IsDone>
  void await(IsDone is_done, Clock::duration patience);
  void look_for_who_is_lost() const;
  void abandon() noexcept;
  Ticket mark();

  std::shared_ptr<NcclRuntime> runtime_;
  int rank_, size_;
  NcclPeers peers_;
  bool is_group_ = true;  ///< made by split(): it cannot be created again
  nccl::Comm comm_ = nullptr;
  CudaStream stream_;
  NcclGraphs graphs_;
  StreamMarks marks_;
  CudaEvent begin_, end_;  ///< enclose the operation of run()
  NcclRegistrations registrations_;
  std::map<TriedKey, Tried> tried_;
  unsigned turns_ = 0;  ///< calls of progress()
  std::optional<LaunchTimes> last_launch_;
};

}  // namespace ringmark
