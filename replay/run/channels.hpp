// The communicators of a trace's channels, and the buffers of their calls: collectives and messages.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/harness/control.hpp"
#include "bench/harness/run_buffers.hpp"
#include "replay/trace/step_trace.hpp"
#include "transports/communicator.hpp"

namespace ringmark::replay {

/// Calls of a channel share its buffers, since they run one after another. Like in the frameworks, they run in
/// place if the transport can.
class Channels {
 public:
  /// Every rank calls it. `world` serves the first channel of all ranks; the others are split off. Throws BadUsage for
  /// groups that do not divide the ranks, Unusable for an operation that the transport lacks.
  Channels(const StepTrace& trace, std::unique_ptr<Communicator> world, Deadline deadline);

  /// The arguments to start a call.
  struct Call {
    Communicator* communicator;
    Operation operation;
    Buffers buffers;
    bool in_place;
    int channel;
  };
  const Call& call(int event) const { return *calls_[static_cast<std::size_t>(event)]; }
  const std::vector<std::unique_ptr<Communicator>>& communicators() const { return communicators_; }

  /// Chooses by trials the algorithm of each distinct collective, where it is not given; `limit` is for all trials
  /// together. Every rank calls it.
  void settle_algorithms(Control& control, std::chrono::duration<double> limit, Clock::duration patience);
  /// Replaces settle_algorithms where ranks make different calls and cannot time them together; cost models choose the
  /// algorithms then. Runs each distinct call once, so that no call in a step waits for a connection. Every rank calls
  /// it.
  void connect(Clock::duration patience);
  /// Tries out each distinct collective if the backend needs that, and with `check` runs each once on known numbers.
  /// Returns this rank's number of wrong elements. Throws Unusable for a collective that cannot run.
  std::uint64_t prepare(bool check, Clock::duration patience);

  /// Bytes of host memory that a rank allocates for the trace, if its buffers are in memory of kind `buffers`.
  static double host_bytes(const StepTrace& trace, int ranks, MemoryKind buffers);

 private:
  struct Needs {
    std::size_t send_bytes = 0, recv_bytes = 0;
  };
  void make_calls(const StepTrace& trace);
  /// Channel by channel, so that ranks that run them one after another do not deadlock.
  std::vector<const Call*> different_calls() const;
  void fill_with_zeros();

  std::vector<std::unique_ptr<Communicator>> communicators_;  ///< by channel
  std::vector<std::unique_ptr<RunBuffers>> buffers_;
  std::vector<std::unique_ptr<KeptMemory>> kept_;
  std::vector<std::optional<Call>> calls_;  ///< by event
};

}  // namespace ringmark::replay
