// A communicator that calls NCCL, with a deadline on every wait. It polls the device, NCCL's asynchronous errors and
// the other ranks' connections.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transports/communicator.hpp"
#include "transports/memory/cuda/stream.hpp"
#include "transports/nccl/marks.hpp"
#include "transports/nccl/nccl_comm.hpp"
#include "transports/nccl/nccl_graphs.hpp"
#include "transports/nccl/nccl_peers.hpp"
#include "transports/nccl/nccl_runtime.hpp"

namespace ringmark {

/// One rank on the GPU of its runtime.
class NcclCommunicator final : public Communicator, public DeviceOperations {
 public:
  NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, int rank, int size, NcclPeers peers);

  std::string_view backend() const override { return "nccl"; }
  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  Memory& memory() const override { return runtime_->memory(); }
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const override;
  bool rounds_averages() const override { return true; }
  DeviceOperations* device() override { return this; }
  std::optional<std::string> try_out(const Operation& operation, Buffers buffers, Clock::duration patience) override;
  Choice choice_for(const Operation& operation, bool in_place) const override;
  std::optional<LaunchTimes> last_launch() const override { return last_launch_; }

  void keep(std::span<std::byte> memory) override { comm_.keep(memory); }
  void forget(std::span<std::byte> memory) override { comm_.forget(memory); }
  Ticket start(const Operation& operation, Buffers buffers) override;
  bool test(Ticket ticket) override;
  void wait(Ticket ticket, Clock::duration patience) override;
  void progress() override { comm_.check(); }
  void run(const Operation& operation, Buffers buffers, Clock::duration patience) override;
  void run_batch(const Operation& operation, std::span<const Buffers> buffers, Clock::duration patience) override;
  std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) override;

 private:
  /// Result of trying an operation.
  struct Tried {
    std::string refusal;
    Choice choice;
  };
  using TriedKey = std::pair<Operation, bool>;  ///< and whether it is in place

  NcclCommunicator(std::shared_ptr<NcclRuntime> runtime, nccl::Comm group, int rank, int size, NcclPeers peers);
  /// Enqueues the operation. Returns NCCL's result.
  nccl::Result issue(const Operation& operation, Buffers buffers);
  void launch(const Operation& operation, Buffers buffers);
  template <class IsDone>
  void await(IsDone is_done, Clock::duration patience);
  Ticket mark();

  std::shared_ptr<NcclRuntime> runtime_;
  CudaStream stream_{runtime_->cuda()};
  NcclGraphs graphs_{runtime_->cuda(), stream_};
  StreamMarks marks_{runtime_->cuda(), stream_};
  CudaEvent begin_{runtime_->cuda(), true}, end_{runtime_->cuda(), true};  ///< enclose the operation of run()
  NcclComm comm_;
  std::map<TriedKey, Tried> tried_;
  std::optional<LaunchTimes> last_launch_;
};

}  // namespace ringmark
