// The communicators of a trace's channels, and memory for their collectives.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/harness/run_buffers.hpp"
#include "replay/trace/step_trace.hpp"
#include "transports/communicator.hpp"

namespace ringmark::replay {

/// Collectives of a channel share its memory, since they run one after another; in place where the transport can, as
/// the frameworks do.
class Channels {
 public:
  /// Every rank calls it. `world` serves the first channel of all ranks; others are split off. Throws BadUsage for
  /// groups that do not divide the ranks, Unusable for an operation that the transport does not have.
  Channels(const StepTrace& trace, std::unique_ptr<Communicator> world, Deadline deadline);

  /// What start needs for a collective event.
  struct Call {
    Communicator* communicator;
    Operation operation;
    Buffers buffers;
    bool in_place;
  };
  const Call& call(int event) const { return *calls_[static_cast<std::size_t>(event)]; }
  const std::vector<std::unique_ptr<Communicator>>& communicators() const { return communicators_; }

  /// Has each different collective tried out, where a backend wants that, and with `check` carries each out once on
  /// known numbers. Returns the wrong elements of this rank. Throws Unusable if one cannot be carried out.
  std::uint64_t prepare(bool check, Clock::duration patience);

  /// Bytes that a rank allocates on its host for such a trace, whose buffers lie in memory of that kind.
  static double host_bytes(const StepTrace& trace, int ranks, MemoryKind buffers);

 private:
  struct Needs {
    std::size_t send_bytes = 0, recv_bytes = 0;
  };
  void make_calls(const StepTrace& trace);
  void fill_with_zeros();

  std::vector<std::unique_ptr<Communicator>> communicators_;  ///< by channel
  std::vector<std::unique_ptr<RunBuffers>> buffers_;
  std::vector<std::unique_ptr<KeptMemory>> kept_;
  std::vector<std::optional<Call>> calls_;  ///< by event
};

}  // namespace ringmark::replay
