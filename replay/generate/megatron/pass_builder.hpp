// Appends a pass's events in the order in which the host issues them, with the waits that handles imply.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/generate/megatron/grid.hpp"

namespace ringmark::replay::megatron {

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
  };
  /// The event's index; nothing where the group is one rank.
  std::optional<int> call(const Call& call);
  /// Returns the event, until the next one is added.
  Event& compute(double flops, double memory_bytes, const std::string& tag, std::vector<Operator> operators = {});
  /// For an asynchronous call of this pass.
  void wait(std::optional<int> call);
  /// For all calls on the group so far.
  void drain(Over over);

 private:
  Event& add(EventKind kind);

  const Grid& grid_;
  Pass& pass_;
};

}  // namespace ringmark::replay::megatron
