// The flags of a step with tensor, pipeline, context and expert parallelism.
#pragma once

#include <optional>
#include <string>

#include "base/flags.hpp"
#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/step_settings.hpp"

namespace ringmark::replay {

class ParallelFlags {
 public:
  explicit ParallelFlags(Flags& flags) : flags_(flags) {}

  void declare();
  /// The file of Megatron-LM's arguments, which say all of the step; empty if it was not given.
  const std::string& arguments_file() const { return arguments_file_; }
  /// Whether any kind of parallelism beside data parallelism was asked for.
  bool are_given() const;

  /// The step of the model on that many ranks, as Megatron-core runs it with its distributed optimizer and overlap.
  /// `common` has what is alike without these flags: batch, sequence, type, recomputation, micro-steps.
  megatron::Arguments interpret(const std::string& model, const StepSettings& common) const;

 private:
  Flags& flags_;
  std::vector<std::string> names_;
  std::string arguments_file_;
  megatron::Sizes sizes_;
  std::optional<std::uint64_t> global_batch_;
};

}  // namespace ringmark::replay
