// Walks a training step through a model and calls a framework's hooks.
#pragma once

#include "replay/generate/step_settings.hpp"
#include "replay/generate/trace_builder.hpp"
#include "replay/model/gradient_flow.hpp"
#include "replay/model/model.hpp"

namespace ringmark::replay {

/// A framework's reactions; each may add events.
class StepHooks {
 public:
  virtual ~StepHooks() = default;
  virtual void begin_micro_step([[maybe_unused]] int micro_step) {}
  virtual void enter([[maybe_unused]] const Module& module, [[maybe_unused]] Phase phase) {}
  /// Not called after backward for modules whose inputs need no gradient.
  virtual void leave([[maybe_unused]] const Module& module, [[maybe_unused]] Phase phase) {}
  virtual void gradient_ready([[maybe_unused]] int parameter) {}
  virtual void end_micro_step([[maybe_unused]] int micro_step) {}
  virtual void optimizer_step() = 0;
  /// False if the first step already equals all later ones.
  virtual bool remembers() const { return true; }
};

/// One optimizer step: micro-steps of forward and backward, then the optimizer. Between the hooks it adds the
/// computation of the modules.
class StepWalk {
 public:
  StepWalk(const Model& model, const StepSettings& settings, TraceBuilder& builder);

  void run(StepHooks& hooks);

 private:
  void forward(const Module& module, Phase phase, StepHooks& hooks);
  void backward(const Module& module, StepHooks& hooks);
  void compute_forward(const Module& module);
  void compute_backward(const Module& module);
  struct Work {
    double flops = 0, elements = 0;  ///< elements of memory read or written
    std::vector<Operator> operators;
  };
  Work work_of(const Module& module, int parameter) const;
  bool is_added_alone(const Module& module, int parameter) const;
  /// The products of a backward pass: for the gradient of the input and for that of the weights.
  static void add_backward(const Operator& forward, bool has_input_gradient, bool is_trained,
                           std::vector<Operator>& operators);
  void compute(const Module& module, Work work, double times_attention);
  /// Counts a use of the module's parameters as done, and reports the gradients that are now ready.
  void count_down(const Module& module, StepHooks& hooks);

  const Model& model_;
  const StepSettings& settings_;
  TraceBuilder& builder_;
  GradientFlow gradients_;
  std::vector<int> gradient_order_;
  std::vector<int> uses_;
  bool recomputes_in_full_;
  // state of the current micro-step
  int micro_step_ = 0;
  const Module* not_recomputed_ = nullptr;  ///< the module whose product the current recomputation leaves out
  std::vector<int> uses_left_;
  std::size_t next_gradient_ = 0;
};

}  // namespace ringmark::replay
