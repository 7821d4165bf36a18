// The end of a stage's step, from its last backward pass on, phase by phase.
#pragma once

#include "replay/generate/megatron/stage_parts.hpp"
#include "replay/generate/pass_builder.hpp"

namespace ringmark::replay::megatron {

class StepEnd {
 public:
  /// All must outlive this.
  StepEnd(const Settings& settings, const StageParts& parts, int stage)
      : settings_(settings), parts_(parts), stage_(stage) {}

  /// Waits for the gradients, and sums those that groups other than data-parallel ones share.
  void finalize(PassBuilder& pass) const;
  /// Checks whether any rank requests a rerun of the step.
  void check_reruns(PassBuilder& pass) const;
  /// The norm, the update, and the weights that are not gathered during the next forward pass.
  void optimize(PassBuilder& pass) const;
  /// The norm and the loss, for the log.
  void report(PassBuilder& pass) const;

 private:
  bool is_last_stage() const { return stage_ + 1 == settings_.sizes.pipeline; }
  void count_experts(PassBuilder& pass) const;
  void gather_all(PassBuilder& pass) const;

  const Settings& settings_;
  const StageParts& parts_;
  int stage_;
};

}  // namespace ringmark::replay::megatron
