// The measuring loop: times one operation, verifies what it timed, and decides with all ranks when to stop.
//
// An iteration starts with a barrier and takes as long as its slowest rank, or it starts at an agreed time and ends
// with the last rank. In `batch` mode, a sample is the time of several back-to-back operations after one barrier,
// divided by their number and averaged over the ranks as nccl-tests does. Iterations come in blocks, between which the
// ranks exchange their samples. Every block poisons the result and verifies one of its timed iterations. Out of place
// that is the last one (for rotated batches, its first buffer). In place it is the first, since later ones reduce
// results instead of the input; an in-place batch gets one extra operation after the timing. If operations are queued
// on a device, a batch is started as a whole and then waited for, rotating through all of the buffers' memory as
// nccl-tests does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/flags/options.hpp"
#include "bench/harness/control.hpp"
#include "bench/harness/run_buffers.hpp"
#include "bench/harness/stopping.hpp"
#include "results/files/sink.hpp"
#include "transports/communicator.hpp"

namespace ringmark {

struct MeasurePlan {
  Operation operation;
  bool in_place = false;
  Timing timing = Timing::each;
  MeasuringTime time;
  int batch_operations = 20;
  Start start = Start::barrier;
  bool check = true;
  bool rotate = false;  ///< batches rotate through the buffers' memory
  /// If groups of ranks run concurrently: each rank's group, empty for an idle rank. Empty if all ranks run the
  /// operation together.
  std::vector<std::optional<std::size_t>> group_of_rank{};
};

/// The part of one group. Its ranks are numbered as in the run.
struct GroupMeasurement {
  std::vector<double> times_us;
  std::optional<int> slowest_rank;
  std::optional<std::uint64_t> wrong_elements;
};

struct Measurement {
  std::vector<double> times_us;             ///< per sample: of the slowest rank (each), or the mean over ranks (batch)
  Samples samples;                          ///< of all ranks, on rank 0 only
  std::vector<double> skews_us;             ///< per iteration: last entry minus first entry
  std::vector<double> issue_us, device_us;  ///< per iteration: of the rank with the longest; empty on hosts
  std::uint64_t operations = 0;             ///< number of timed operations
  std::optional<int> slowest_rank;          ///< the most frequently slowest rank
  std::optional<std::uint64_t> wrong_elements;  ///< on all ranks; empty if not checked
  StopReason stop_reason{};
  std::vector<GroupMeasurement> groups;  ///< empty if all ranks run the operation together
};

/// Every rank calls it with the same plan, except that an operation may depend on the size of its group.
/// `around_timed(true)` and `(false)` bracket the timed operations, for counters.
Measurement measure(Communicator& communicator, Control& control, RunBuffers& buffers, const MeasurePlan& plan,
                    const std::function<void(bool)>& around_timed);

}  // namespace ringmark
