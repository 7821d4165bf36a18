// Appends a pass's events in the order in which the host issues them, with the waits that handles imply.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/generate/grid.hpp"

namespace ringmark::replay {

class PassBuilder {
 public:
  PassBuilder(const Grid& grid, Pass& pass) : grid_(grid), pass_(pass) {}

  Phase phase = Phase::forward;

  struct Call {
    Collective collective = Collective::all_reduce;
    std::uint64_t elements = 0;  ///< of the full tensor
    DataType type = DataType::bfloat16;
    Over over = Over::world;
    ReduceOp op = ReduceOp::sum;
    bool is_async = false;
    int root = 0;  ///< in the group
    std::string tag = {};
    bool is_boolean = false, depends_on_routing = false;
    std::optional<int> batch = {};
    /// An asynchronous call begins after these events have ended; if there are none, after those before it.
    std::vector<int> after = {};
  };
  /// Returns the event's index; nothing if the group has only one rank.
  std::optional<int> call(const Call& call);
  /// Returns the event, until the next one is added.
  Event& compute(double flops, double memory_bytes, const std::string& tag, std::vector<Operator> operators = {});
  /// Waits for an asynchronous call of this pass, if there is one. Returns the index of the wait.
  std::optional<int> wait(std::optional<int> call);
  /// Waits for all calls on the group so far.
  void drain(Over over);

 private:
  Event& add(EventKind kind);

  const Grid& grid_;
  Pass& pass_;
};

}  // namespace ringmark::replay
