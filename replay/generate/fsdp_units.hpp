// The parts of a model that FSDP and FSDP2 gather and reduce as a whole, and their collectives.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/generate/trace_builder.hpp"
#include "replay/model/model.hpp"

namespace ringmark::replay {

struct FsdpUnit {
  const Module* module;
  std::string name;
  std::vector<int> parameters;  ///< in registration order
};

/// The root first, then each layer unless the root alone is wrapped. A tensor that several units use belongs to the
/// first layer that does; the root has the rest. Units without tensors are left out.
std::vector<FsdpUnit> fsdp_units(const Model& model, bool root_only);

/// With use_orig_params, FSDP computes the gradients of all tensors of a unit if any of them is trained; this marks
/// them all as trained. Otherwise throws BadUsage for a unit with trained and frozen tensors, as PyTorch does.
void train_whole_units(Model& model, const Sharding& sharding);

class FsdpCollectives {
 public:
  FsdpCollectives(const StepSettings& settings, TraceBuilder& builder);

  /// The group of the ranks that share one copy.
  int shard_group() const { return shard_group_; }
  /// Returns the event's index. It begins when `after` has ended.
  int gather(const std::string& unit, std::uint64_t elements, int group, int after);
  /// Reduces gradients: a reduce_scatter among the ranks that share one copy, and an all_reduce among those that have
  /// the same part of it. Returns the index of the reduce_scatter.
  int scatter(const std::string& unit, std::uint64_t elements);
  /// Reduces gradients that are not sharded.
  void all_reduce(const std::string& unit, std::uint64_t elements);
  void norm(std::uint64_t elements = 1);
  /// The indices of the last events of all reductions so far.
  std::vector<int> reductions() const;

 private:
  const StepSettings& settings_;
  TraceBuilder& builder_;
  int gather_stream_ = 0, reduce_stream_ = 0, replicate_stream_ = 0;
  int shard_group_ = 0;
  std::optional<int> replicate_group_;
};

}  // namespace ringmark::replay
