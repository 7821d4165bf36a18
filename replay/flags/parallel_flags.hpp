// The flags of a step with tensor, pipeline, context and expert parallelism.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/flags/flags.hpp"
#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/generate/torchtitan/arguments.hpp"
#include "replay/step/operator_time.hpp"
#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

struct ModelWork {
  double parameters = 0, operations_of_a_token = 0;
};

/// A step with several kinds of parallelism.
using RoleStep = std::variant<megatron::Arguments, torchtitan::Arguments>;
/// `products`: the type in which the device multiplies matrices. Throws BadUsage for flags that contradict each other.
RoleTrace generate(RoleStep step, ProductType products = ProductType::models);
const std::vector<std::string>& notes_of(const RoleStep& step);
/// Changes the number of ranks; each rank keeps its batch.
void set_ranks(RoleStep& step, int ranks);
/// The number of ranks must be a multiple of this.
int unit_of_ranks(const RoleStep& step);
/// The model's size, and the work per token from which MFU follows.
ModelWork work_of(const RoleStep& step);

class ParallelFlags {
 public:
  explicit ParallelFlags(Flags& flags) : flags_(flags) {}

  void declare();
  /// The file of Megatron-LM's arguments, which describe the whole step; empty if not given.
  const std::string& arguments_file() const { return arguments_file_; }
  /// torchtitan's configuration, which also describes the whole step.
  const std::string& torchtitan_file() const { return torchtitan_file_; }
  /// Whether any kind of parallelism besides data parallelism was requested.
  bool are_given() const;

  /// The model's step as Megatron-core runs it with its distributed optimizer. `common` has what these flags do not
  /// set: ranks, batch, sequence, types, recomputation, micro-steps, overlap.
  megatron::Arguments interpret(const std::string& model, const StepSettings& common) const;
  /// The same as torchtitan runs it, with all weights sharded over the data-parallel ranks.
  torchtitan::Arguments interpret_torchtitan(const std::string& model, const StepSettings& common) const;

 private:
  Flags& flags_;
  std::vector<std::string> names_;
  std::string arguments_file_, torchtitan_file_;
  megatron::Sizes sizes_;
  std::optional<std::uint64_t> global_batch_;
};

}  // namespace ringmark::replay
