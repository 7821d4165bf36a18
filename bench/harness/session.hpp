// One rank's way through a run: every type, reduction, size and placement in turn, a Record for each.
#pragma once

#include <memory>
#include <string>

#include "bench/flags/options.hpp"
#include "bench/harness/run_buffers.hpp"
#include "bench/harness/transports.hpp"
#include "results/sink.hpp"

namespace ringmark {

class Session {
 public:
  /// `sink` is null but on rank 0.
  Session(Collective collective, const BenchOptions& options, RankResources& resources, Communicator& communicator,
          RunId run_id, Sink* sink);

  /// Returns exit_ok; exit_wrong if a result was wrong or took another path than asked for; exit_unusable if nothing
  /// could be measured.
  int run();

 private:
  void measure_row(const Operation& operation, bool in_place, RunBuffers& buffers);
  std::optional<std::string> try_out(const Operation& operation, bool in_place, RunBuffers& buffers, Record& record);
  Record describe(const Operation& operation, bool in_place) const;
  void measure_into(Record& record, Samples& samples, const Operation& operation, bool in_place, RunBuffers& buffers);

  Collective collective_;
  const BenchOptions& options_;
  RankResources& resources_;
  Communicator& communicator_;
  RunId run_id_;
  Sink* sink_;
  bool all_right_ = true;
  bool anything_measured_ = false;
};

}  // namespace ringmark
