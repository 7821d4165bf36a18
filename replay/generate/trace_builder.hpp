// Appends a step's events in order, with the dependencies that the frameworks' streams and handles imply.
#pragma once

#include <string>
#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

class TraceBuilder {
 public:
  explicit TraceBuilder(StepTrace& trace) : trace_(trace) {}

  void at(Phase phase, int micro_step);
  Phase phase() const { return phase_; }

  /// The index of a stream, which is added when first named.
  int stream(const std::string& name);
  /// The index of a group, which is added with a channel of the same name.
  int group(const Group& group);

  /// Adds computation on the first stream.
  void compute(double flops, double memory_bytes, const std::string& tag, std::vector<Operator> operators = {});
  void copy(int stream, double memory_bytes, const std::string& tag);

  struct Call {
    Collective collective = Collective::all_reduce;
    std::uint64_t elements = 0;
    DataType type = DataType::bfloat16;
    ReduceOp op = ReduceOp::sum;
    int stream = 0;
    int group = 0;
    bool is_async = false;
    int root = 0;
    std::vector<int> after;
    std::string tag;
  };
  /// Returns the event's index.
  int collective(const Call& call);

  /// Later events on the stream wait for these.
  void wait(int stream, std::vector<int> on);
  /// Later events on all streams wait for these.
  void host_sync(std::vector<int> on);

  /// The last event of a stream; -1 for none.
  int last(int stream) const;
  /// Call it before the next step, after the trace's events were cleared.
  void restart() { last_on_stream_.assign(trace_.streams.size(), -1); }

 private:
  int add(Event event);

  StepTrace& trace_;
  Phase phase_ = Phase::forward;
  int micro_step_ = 0;
  std::vector<int> last_on_stream_{-1};
};

}  // namespace ringmark::replay
